package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Hash returns the first 16 hexadecimal digits of the SHA-256 of what the compiler sees of src: comments removed, and each run
// of white space one space. A recorded result carries it, so that a change of the code makes the result stale and a change of a
// comment does not.
func Hash(src string) string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(stripComments(src)), " ")))
	return hex.EncodeToString(sum[:])[:16]
}

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
