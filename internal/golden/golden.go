// Package golden compares what a test made with a file that a person has read.
package golden

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write golden files instead of comparing; read the difference before you commit it")

// Equal fails t if got is not the content of path. With -update it writes path.
func Equal(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test with -update writes it)", err)
	}
	if diff := firstDifference(want, []byte(got)); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
}

// firstDifference shows the first line at which two texts part, "" if they are equal.
func firstDifference(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	w, g := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
	for i := 0; i < len(w) || i < len(g); i++ {
		var a, b []byte
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if !bytes.Equal(a, b) || i >= len(w) || i >= len(g) {
			return fmt.Sprintf("line %d\n  want %s\n  got  %s", i+1, a, b)
		}
	}
	return "the texts differ"
}
