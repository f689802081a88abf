package kernels

import (
	"fmt"
	"strings"

	"cutegen/access"
	"cutegen/templates"
)

// CountAll predicts the transactions of each access.
func CountAll(as ...*access.Access) []Count {
	var counts []Count
	for _, a := range as {
		c := a.Count()
		counts = append(counts, Count{Access: a.Name, Unit: c.Unit, Value: c.Value, Ideal: c.Ideal})
	}
	return counts
}

// LayoutComments are a manifest's layouts for the comment at the head of a source.
func LayoutComments(ls []NamedLayout) []templates.Layout {
	var out []templates.Layout
	for _, l := range ls {
		out = append(out, templates.Layout{Name: l.Name, Text: l.Layout, Doc: l.Doc})
	}
	return out
}

// Notes says in the source what was proved and what is predicted.
func Notes(proofs []Proof, counts []Count) []string {
	out := []string{"Proved before this was printed, each over its whole domain:"}
	for _, p := range proofs {
		out = append(out, fmt.Sprintf("  %s (%d points)", p.Name, p.Domain))
	}
	out = append(out, "Predicted for one instruction of a warp (ideal in brackets):")
	for _, c := range counts {
		out = append(out, fmt.Sprintf("  %s: %.4g %s (%.4g)", c.Access, c.Value, c.Unit, c.Ideal))
	}
	return out
}

// Params are a signature for the manifest.
func Params(ps []templates.Param) []Param {
	var out []Param
	for _, p := range ps {
		out = append(out, Param{Name: p.Name, Type: strings.TrimSpace(p.Type), Doc: p.Doc})
	}
	return out
}
