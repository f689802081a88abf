package operation

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// longestLine bounds a line of a batch, in bytes.
const longestLine = 1 << 20

// Batch answers the questions of r, one JSON object {"op","args"} a line, in order, one Row a line. Other fields are passed over, and
// so are empty lines. A wrong line has an error as its answer. What is answered is written out before Batch waits for more.
func Batch(r io.Reader, w io.Writer) error {
	in, out := bufio.NewReaderSize(r, 1<<16), bufio.NewWriterSize(w, 1<<16)
	var answer []byte
	for {
		line, tooLong, err := readLine(in, out)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if tooLong || len(bytes.TrimSpace(line)) > 0 {
			row := answerLine(line)
			if tooLong {
				row = Row{Error: fmt.Sprintf("the line is longer than %d bytes", longestLine)}
			}
			answer = append(row.AppendJSON(answer[:0]), '\n')
			if _, err := out.Write(answer); err != nil {
				return err
			}
		}
		if err != nil {
			return out.Flush()
		}
	}
}

// readLine reads a line, and flushes out first where it would have to wait for it. A line that is too long is read to its end and dropped.
func readLine(in *bufio.Reader, out *bufio.Writer) (line []byte, tooLong bool, err error) {
	if waiting, _ := in.Peek(in.Buffered()); bytes.IndexByte(waiting, '\n') < 0 {
		if err := out.Flush(); err != nil {
			return nil, false, err
		}
	}
	line, err = in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, false, err
	}
	whole := bytes.Clone(line)
	for errors.Is(err, bufio.ErrBufferFull) {
		line, err = in.ReadSlice('\n')
		if tooLong = tooLong || len(whole)+len(line) > longestLine; !tooLong {
			whole = append(whole, line...)
		}
	}
	return whole, tooLong, err
}

func answerLine(line []byte) Row {
	var q struct {
		Op   string   `json:"op"`
		Args []string `json:"args"`
	}
	if err := json.Unmarshal(line, &q); err != nil {
		return Row{Op: q.Op, Args: q.Args, Error: fmt.Sprintf(`the line is no {"op":TEXT,"args":[TEXT,...]}: %v`, err)}
	}
	return Answer(q.Op, q.Args)
}
