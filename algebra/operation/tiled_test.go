package operation

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The recorded questions on tiled products and copies are answered here as package tiled answers them, whose tests judge each that is
// not CuTe's: threads that do not take part, and partial sums behind the tile.
func TestTiledVectors(t *testing.T) {
	got := tally{}
	for _, name := range []string{"cute-cpp.jsonl", "cute-cpp-more.jsonl"} {
		rows, err := os.ReadFile("../tiled/testdata/" + name)
		require.NoError(t, err)
		for line := range strings.Lines(string(rows)) {
			var v struct {
				Op     string          `json:"op"`
				Args   []string        `json:"args"`
				Want   string          `json:"want"`
				Offset json.RawMessage `json:"offset"`
				Error  string          `json:"error"`
			}
			require.NoError(t, json.Unmarshal([]byte(line), &v), line)
			row := Answer(v.Op, v.Args)
			var answer struct {
				Got    string          `json:"got"`
				Offset json.RawMessage `json:"offset"`
			}
			require.NoError(t, json.Unmarshal(row.AppendJSON(nil), &answer), line)
			same := row.Error == "" && v.Error == "" && answer.Got == v.Want && string(answer.Offset) == string(v.Offset)
			switch {
			case same:
				got.Same++
			case row.Error != "" && v.Error != "":
				got.Refuse++
			default:
				got.Against++
				if row.Error == "" {
					assert.Equal(t, "tiled_mma_layoutC_TV", v.Op, line)
				} else {
					assert.Contains(t, row.Error, "allowed is 0 to ", line)
				}
			}
		}
	}
	assert.Equal(t, tally{971, 0, 3, 24}, got)
}

// Every recorded atom is found, and its row has what the record has; package atom's tests list the 17 that differ, with the reasons.
func TestAtomVectors(t *testing.T) {
	records, err := os.ReadFile("../atom/testdata/atoms.jsonl")
	require.NoError(t, err)
	got := map[string]int{}
	for line := range strings.Lines(string(records)) {
		var record map[string]any
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&record))
		text := func(name string) string {
			switch is := record[name].(type) {
			case json.Number:
				return is.String()
			case string:
				return is
			}
			return ""
		}
		kind := text("kind")
		arguments := map[string][]string{
			"mma": {text("atom")}, "copy": {text("atom")}, "smem_atom": {text("atom"), text("bits")},
			"tmem_frag": {text("value"), text("storage"), text("sms"), text("alloc"), text("shape")},
		}[kind]
		name := map[string]string{"mma": "mma_atom", "copy": "copy_atom"}[kind]
		if name == "" {
			name = kind
		}
		row := Answer(name, arguments)
		require.Empty(t, row.Error, line)
		same := true
		if facts, ok := row.Got.(Record); ok {
			for _, f := range facts {
				if _, recorded := record[f.Name]; recorded {
					same = same && f.Is == text(f.Name)
				}
			}
		} else {
			same = Text(row.Got) == text("layout")
		}
		if same {
			got[kind]++
		}
	}
	assert.Equal(t, map[string]int{"mma": 312, "copy": 146, "smem_atom": 36, "tmem_frag": 168}, got)
}
