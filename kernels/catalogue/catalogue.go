// Package catalogue turns spec files and kernel names into kernels.
//
// A spec file is YAML: a list of kernels, each a mapping of scalars. The field family says which package reads the others
// (kernels/transpose, kernels/sgemm); name, which begins with the family's, overrides the name that spells the configuration;
// experimental: true marks a kernel that need
// not have a recorded verification.
//
//   - family: transpose
//     tile: (64,64)
//     tS: (16,16):(16,1)
//     vS: 4
//     tD: (8,32):(1,8)
//     vD: 4
//     sT: Sw<3,2,6> o 0 o (64,64):(64,1)
//     minBlocks: 4
package catalogue

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"cutegen/emit/bind"
	"cutegen/kernels"
	"cutegen/kernels/sgemm"
	"cutegen/kernels/transpose"
)

//go:embed default.yaml
var defaultFile []byte

// Entry is one kernel to generate.
type Entry struct {
	Name         string
	Family       string
	Experimental bool
	// Pos is where a spec file states it, "file:line:column", or "".
	Pos string

	transpose transpose.Spec
	sgemm     sgemm.Spec
	at        map[string]string // the position of each field
}

// Generate runs the flow from spec to source, and stamps the source. An error names the spec's position where there is one.
func (e Entry) Generate() (*kernels.Kernel, error) {
	var k *kernels.Kernel
	var err error
	if e.Family == familySgemm {
		k, err = sgemm.Generate(e.sgemm)
	} else {
		k, err = transpose.Generate(e.transpose)
	}
	if err != nil {
		return nil, e.positioned(err)
	}
	k.Source = kernels.Stamp(k.Source, k.Manifest.Name)
	return k, nil
}

func (e Entry) positioned(err error) error {
	pos := e.Pos
	var field *kernels.FieldError
	if errors.As(err, &field) && e.at[field.Field] != "" {
		pos = e.at[field.Field]
	}
	if pos == "" {
		return err
	}
	return fmt.Errorf("%s: %w", pos, err)
}

const (
	familyTranspose = "transpose"
	familySgemm     = "sgemm"
)

// Default is the embedded catalogue.
func Default() ([]Entry, error) { return parse("default.yaml", defaultFile) }

// Load reads a spec file.
func Load(path string) ([]Entry, error) {
	const most = 1 << 20
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1)) // not by its size: /dev/stdin has none
	if err != nil {
		return nil, err
	}
	if len(text) > most {
		return nil, fmt.Errorf("%s: more than the %d bytes of a spec file", path, most)
	}
	return parse(path, text)
}

// ParseName makes the entry whose configuration a name spells.
func ParseName(name string) (Entry, error) {
	e := Entry{Name: name}
	var err error
	switch {
	case strings.HasPrefix(name, "transpose_"):
		e.Family = familyTranspose
		e.transpose, err = transpose.ParseName(name)
	case strings.HasPrefix(name, "sgemm_"):
		e.Family = familySgemm
		e.sgemm, err = sgemm.ParseName(name)
	default:
		err = fmt.Errorf("%q spells no kernel: a name begins with transpose_ or sgemm_", name)
	}
	return e, err
}

// fields makes an entry of a spec's fields.
func (e *Entry) fields(fields kernels.Fields) error {
	name, own := fields["name"]
	switch v, ok := fields["experimental"]; {
	case v == "true":
		e.Experimental = true
	case ok && v != "false":
		return &kernels.FieldError{Field: "experimental", Err: fmt.Errorf("got %q, want true or false", v)}
	}
	e.Family = fields["family"]
	rest := kernels.Fields{}
	for k, v := range fields {
		if k != "name" && k != "experimental" && k != "family" {
			rest[k] = v
		}
	}
	var err error
	switch e.Family {
	case familyTranspose:
		if e.transpose, err = transpose.Parse(rest); err != nil {
			return err
		}
		e.transpose.Name = name
		e.Name, err = spelled(name, e.transpose.SpelledName)
	case familySgemm:
		if e.sgemm, err = sgemm.Parse(rest); err != nil {
			return err
		}
		e.sgemm.Name = name
		e.Name, err = spelled(name, e.sgemm.SpelledName)
	case "":
		err = &kernels.FieldError{Field: "family", Err: fmt.Errorf("is missing: want transpose or sgemm")}
	default:
		err = &kernels.FieldError{Field: "family", Err: fmt.Errorf("got %q, want transpose or sgemm", e.Family)}
	}
	if err == nil && own {
		err = e.checkName()
	}
	return err
}

// checkName checks a name that the spec states. The family before it keeps it from being a word of C or Go, a macro, or a name of CUDA's.
func (e *Entry) checkName() error {
	var err error
	switch {
	case !identifier.MatchString(e.Name) || !strings.HasPrefix(e.Name, e.Family+"_"):
		err = fmt.Errorf("got %q, want %s_ and then letters, digits and underscores, at most 128 in all", e.Name, e.Family)
	case strings.HasSuffix(e.Name, "_kernel"):
		err = fmt.Errorf("got %q, which is what kernel %s is called on the device", e.Name, strings.TrimSuffix(e.Name, "_kernel"))
	case strings.HasSuffix(e.Name, "_source"):
		err = fmt.Errorf("got %q, by which the library of kernel %s tells its source", e.Name, strings.TrimSuffix(e.Name, "_source"))
	default:
		err = bind.CheckName(e.Name)
	}
	if err != nil {
		return &kernels.FieldError{Field: "name", Err: err}
	}
	return nil
}

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,127}$`)

func spelled(own string, spell func() (string, error)) (string, error) {
	if own != "" {
		return own, nil
	}
	return spell()
}
