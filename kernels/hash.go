package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// Hash returns the first 16 hexadecimal digits of the SHA-256 of what the compiler sees of src: comments removed, and each run
// of white space one space. A recorded result carries it, so that a change of the code makes the result stale and a change of a
// comment does not. The stamp at the end, which holds the hash, is left out.
func Hash(src string) string {
	src = stamp.ReplaceAllString(src, "")
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(stripComments(src)), " ")))
	return hex.EncodeToString(sum[:])[:16]
}

// Stamp ends a source with a function by which a library tells the source that it was built from, whatever lies beside it now:
//
//	extern "C" const char* NAME_source() { return "0123456789abcdef"; }
func Stamp(src, name string) string {
	return src + fmt.Sprintf(`
// The source that this is built from, for who loads it: a hash of the code above.
extern "C" const char* %s_source() { return "%s"; }
`, name, Hash(src))
}

var stamp = regexp.MustCompile(`extern "C" const char\* \w+_source\(\) \{ return "[0-9a-f]{16}"; \}\n$`)

// stripComments replaces each C comment by a space. String and character literals are kept whole.
func stripComments(src string) string {
	var b strings.Builder
	for i := 0; i < len(src); {
		switch rest := src[i:]; {
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			i += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				n = len(rest) - 4
			}
			i += n + 4
			b.WriteByte(' ')
		case rest[0] == '"' || rest[0] == '\'':
			n := 1
			for n < len(rest) && rest[n] != rest[0] {
				if rest[n] == '\\' {
					n++
				}
				n++
			}
			n = min(n+1, len(rest))
			b.WriteString(rest[:n])
			i += n
		default:
			b.WriteByte(rest[0])
			i++
		}
	}
	return b.String()
}
