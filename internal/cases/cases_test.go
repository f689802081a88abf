package cases

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"op":"tensor_slice","args":["(3,8):(8,1)","(2,_)"],"want":"(8):(1)","offset":16,"src":"unit"}
{"op":"offsets","args":["3:2"],"want":[0,2,4]}
{"op":"tensor_slice","args":["8:1@0","_"],"want":"8:1@0","offset":"(0)"}
`), 0o600))
	list := Read(t, path, path)
	require.Len(t, list, 6)
	require.Equal(t, "tensor_slice (3,8):(8,1) (2,_)", list[0].String())
	require.Equal(t, "((8):(1),16)", list[3].Answer())
	require.Equal(t, "[0,2,4]", list[1].Answer())
	require.Equal(t, "(8:1@0,(0))", list[2].Answer())
	require.Equal(t, []map[string]any{{"op": "offsets"}}, ReadAs[map[string]any](t, write(t, `{"op":"offsets"}`)))
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "b.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}
