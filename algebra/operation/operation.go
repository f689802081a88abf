// Package operation is the table of the layout algebra's operations under CuTe's names: what each takes, what it means, an example, and
// how it is evaluated from texts. The command line, its batch mode and the recorded vectors run through it.
package operation

import (
	"fmt"
	"slices"
	"strings"

	"cutegen/algebra"
)

// An Operation is one line of the table.
type Operation struct {
	Name    string   // CuTe's: logical_divide
	Group   string   // the heading that it stands under
	Meaning string   // one line, with the parameters' names
	Params  []Param  // optional ones are last
	Example []string // arguments
	eval    func(a args) (Value, error)
}

// A Param is a parameter of an operation.
type Param struct {
	Name     string // as the meaning calls it: LAYOUT
	Kind     Kind
	Optional bool
}

// Usage lists the parameters: LAYOUT [PROFILE].
func (o Operation) Usage() string {
	var names []string
	for _, p := range o.Params {
		if p.Optional {
			names = append(names, "["+p.Name+"]")
		} else {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " ")
}

// All lists the operations, group by group.
func All() []Operation { return slices.Clone(table) }

// byName is the table by name. It is built once, since a batch looks names up for each line.
var byName = func() map[string]Operation {
	m := make(map[string]Operation, len(table))
	for _, o := range table {
		m[o.Name] = o
	}
	return m
}()

// Find returns the operation of the name, with underscores or dashes.
func Find(name string) (Operation, error) {
	o, ok := byName[name]
	if !ok {
		o, ok = byName[strings.ReplaceAll(name, "-", "_")]
	}
	if !ok {
		return Operation{}, fmt.Errorf("no operation %q", name)
	}
	return o, nil
}

// Run parses the arguments and evaluates the operation.
//
//	logical_divide (8,6):(1,8) (4,3)  ->  ((4,2),(3,2)):((1,4),(8,24))
//
// The error is that of the wrong argument, or the operation's refusal.
func (o Operation) Run(texts ...string) (Value, error) {
	if err := o.arity(len(texts)); err != nil {
		return nil, err
	}
	if err := refuseSwizzled(o.Name, o.Params, texts); err != nil {
		return nil, err
	}
	if hasExpression(o.Params, texts) {
		return o.runSymbols(plainBases(texts))
	}
	values := make(args, len(texts))
	for i, text := range texts {
		var err error
		if values[i], err = o.Params[i].Kind.Parse(text); err != nil {
			return nil, err
		}
	}
	v, err := o.eval(values)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// arity refuses a number of arguments.
func (o Operation) arity(n int) error {
	least := 0
	for _, p := range o.Params {
		if !p.Optional {
			least++
		}
	}
	if n < least || n > len(o.Params) {
		return fmt.Errorf("%s: got %d arguments, allowed are %s", o.Name, n, o.Usage())
	}
	return nil
}

// refuseSwizzled says where a swizzled layout or a swizzle stands that is not taken there.
func refuseSwizzled(op string, params []Param, texts []string) error {
	for i, text := range texts {
		kind := params[i].Kind
		switch {
		case kind&Name != 0:
		case kind&Composed == 0 && isSwizzled(text):
			return fmt.Errorf("%s: %s is %s, a swizzled layout, allowed is %v", op, params[i].Name, strings.TrimSpace(text), kind)
		case kind&(Swizzle|Composed) == 0:
			if s, err := algebra.ParseSwizzle(text); err == nil {
				return fmt.Errorf("%s: %s is %v, a swizzle, allowed is %v", op, params[i].Name, s, kind)
			}
		}
	}
	return nil
}

// A Kind is a set of forms that an argument may have.
type Kind int

const (
	Integer  Kind = 1 << iota // 4
	Tuple                     // (4,(2,8))
	Layout                    // (4,2):(2,1)
	Tiler                     // a layout, a tuple, or a tuple of tilers
	Swizzle                   // Sw<2,3,3>
	Composed                  // Sw<2,3,3> o 0 o (8,64):(64,1)
	Name                      // SM80_16x8x16_F32F16F16F32_TN
)

var kindNames = []string{"an integer", "a tuple", "a layout", "a tiler", "a swizzle", "a swizzled layout", "a name"}

// String lists the forms: "a tuple or a layout".
func (k Kind) String() string {
	var names []string
	for i, name := range kindNames {
		if k&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " or ")
}

// Parse reads an argument: an int, a value of package algebra, or a string.
func (k Kind) Parse(text string) (Value, error) {
	if k&Name != 0 {
		return strings.TrimSpace(text), nil
	}
	if strings.Contains(text, "S") && k&(Swizzle|Composed) != 0 {
		if k&Swizzle != 0 {
			s, err := algebra.ParseSwizzle(text)
			if err == nil || k&Composed == 0 {
				return s, err
			}
		}
		return algebra.ParseComposed(text)
	}
	switch {
	case k&Tiler != 0:
		return algebra.ParseTiler(text)
	case k&Layout != 0 && (k&Tuple == 0 || strings.Contains(text, ":")):
		return algebra.ParseLayout(text)
	case k&Tuple != 0:
		return algebra.ParseTuple(text)
	case k&Integer != 0:
		return parseInteger(text)
	}
	return algebra.ParseSwizzle(text)
}

// parseInteger reads one plain integer.
func parseInteger(text string) (int, error) {
	t, err := algebra.ParseTuple(text)
	if err != nil {
		return 0, err
	}
	return integerOf(t)
}

func integerOf(t algebra.Tuple) (int, error) {
	if !t.IsLeaf() || t.IsUnderscore() || len(t.BasisPath()) > 0 {
		return 0, fmt.Errorf("got %v, allowed is an integer", t)
	}
	return t.Value(), nil
}

// args are parsed arguments. The getters are for kinds that Parse gives; those of a form that the parameter does not have are bugs.
type args []Value

func (a args) integer(i int) int             { return a[i].(int) }
func (a args) tuple(i int) algebra.Tuple     { return a[i].(algebra.Tuple) }
func (a args) layout(i int) algebra.Layout   { return a[i].(algebra.Layout) }
func (a args) tiler(i int) algebra.Tiler     { return a[i].(algebra.Tiler) }
func (a args) name(i int) string             { return a[i].(string) }
func (a args) swizzle(i int) algebra.Swizzle { return a[i].(algebra.Swizzle) }

// swizzled is the swizzled layout of a swizzle i and a layout i+1.
func (a args) swizzled(i int) (algebra.Composed, error) {
	c := algebra.Composed{Swizzle: a.swizzle(i), Layout: a.layout(i + 1)}
	return c, c.Validate()
}
