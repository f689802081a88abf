package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A row is one line of a report: one JSON object, or the cells of one line of a table.
type row interface{ cells() []string }

// report prints rows as JSON, one object a line, or as a table under header if there are any.
func report[R row](w io.Writer, asJSON bool, header []string, rows []R) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for _, r := range rows {
			if err := enc.Encode(r); err != nil {
				return err
			}
		}
		return nil
	}
	if len(rows) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.Join(header, "\t"))
	for _, r := range rows {
		fmt.Fprintln(table, strings.Join(r.cells(), "\t"))
	}
	return table.Flush()
}
