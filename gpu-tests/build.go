package gputests

import (
	"fmt"
	"strings"

	"cutegen/gpu"
	"cutegen/kernels"
)

// A Build is a kernel as it was built: its manifest, and the shared library that exports the launcher Manifest.Name. A handwritten twin
// is the Build of its own name and library, without a source hash, with the manifest of the kernel that it mirrors.
type Build struct {
	kernels.Manifest
	// Library is the path of NAME.so.
	Library string
}

// Families as manifests name them.
const (
	familyTranspose = "transpose"
	familySGEMM     = "sgemm"
)

// demands are the alignments that the kernel demands of its parameters, in elements; 1 for those that it does not name.
type demands map[string]int

func demandsOf(m kernels.Manifest) demands {
	d := demands{}
	for _, a := range m.Alignment {
		d[a.Param] = a.Multiple
		if a.Unit == "bytes" {
			d[a.Param] = max(1, a.Multiple/kernels.FloatBytes)
		}
	}
	return d
}

// fit rounds n up to what is demanded of the parameter.
func (d demands) fit(param string, n int) int { return roundUp(n, max(1, d[param])) }

// around is the last value up to most that the parameter may have, and the next one.
func (d demands) around(param string, most int) (last, first int) {
	multiple := max(1, d[param])
	last = most / multiple * multiple
	return last, last + multiple
}

// join adds the demands of e. Both are powers of two, so the larger of two is a multiple of the other.
func (d demands) join(e demands) {
	for param, multiple := range e {
		d[param] = max(d[param], multiple)
	}
}

// A transposeKernel is a loaded transpose.
type transposeKernel struct {
	Build
	demands
	launch gpu.Transpose
}

// An sgemmKernel is a loaded SGEMM. ops says whether A and B are stored transposed.
type sgemmKernel struct {
	Build
	demands
	ops    string
	launch gpu.SGEMM
}

func (b Build) transpose() (transposeKernel, error) {
	launch, err := gpu.LoadTranspose(b.Library, b.Name, b.SourceHash)
	return transposeKernel{b, demandsOf(b.Manifest), launch}, err
}

func (b Build) sgemm() (sgemmKernel, error) {
	ops, err := b.ops()
	if err != nil {
		return sgemmKernel{}, err
	}
	launch, err := gpu.LoadSGEMM(b.Library, b.Name, b.SourceHash)
	return sgemmKernel{b, demandsOf(b.Manifest), ops, launch}, err
}

// ops says how an SGEMM's A and B are stored: NN, NT, TN or TT.
func (b Build) ops() (string, error) {
	ops := b.Spec["ops"]
	if len(ops) != 2 || strings.Trim(ops, "NT") != "" {
		return "", fmt.Errorf("kernel %s: its manifest's spec has ops %q, want NN, NT, TN or TT", b.Name, ops)
	}
	return ops, nil
}

// load loads every build, in order, by family.
func load(builds []Build) (ts []transposeKernel, gs []sgemmKernel, err error) {
	for _, b := range builds {
		switch b.Family {
		case familyTranspose:
			t, err := b.transpose()
			if err != nil {
				return nil, nil, err
			}
			ts = append(ts, t)
		case familySGEMM:
			g, err := b.sgemm()
			if err != nil {
				return nil, nil, err
			}
			gs = append(gs, g)
		default:
			return nil, nil, fmt.Errorf("kernel %s: there are no tests for the family %q", b.Name, b.Family)
		}
	}
	return ts, gs, nil
}

// stored is the shape in which an operand of rows x cols lies in memory: itself, or transposed.
func stored(op byte, rows, cols int) (int, int) {
	if op == 'T' {
		return cols, rows
	}
	return rows, cols
}

// gridCounts says whether the manifest's grid has, for the grid dimension axis, tiles along N or the batch: that dimension ends at 65535.
func gridCounts(m kernels.Manifest, axis, what string) bool {
	for part := range strings.SplitSeq(m.Launch.Grid, ", ") {
		if rest, ok := strings.CutPrefix(part, axis+": "); ok {
			return strings.Contains(rest, what)
		}
	}
	return false
}
