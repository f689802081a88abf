package operation

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"cutegen/algebra"
	"cutegen/algebra/atom"
	"cutegen/algebra/tiled"
)

// Headings of the table.
const (
	atoms       = "Atoms"
	tiledMMAs   = "Tiled MMAs"
	tiledCopies = "Tiled copies"
)

// The examples' arguments.
const (
	mmaExample  = "SM80_16x8x16_F32F16F16F32_TN"
	loadExample = "Copy_Atom<SM75_U32x4_LDSM_N,half_t>"
)

var atomOperations = []Operation{
	{"mma_atom", atoms, "what the threads of an MMA instruction hold", []Param{need("ATOM", Name)}, []string{mmaExample},
		func(a args) (Value, error) {
			m, err := mmaAtom(a.name(0))
			if err != nil {
				return nil, err
			}
			return Record{
				{"shape_mnk", algebra.Ints(m.M, m.N, m.K).String()}, {"threads", strconv.Itoa(m.ThrID.Size())}, {"thr_id", m.ThrID.String()},
				{"A", m.A.String()}, {"B", m.B.String()}, {"C", m.C.String()},
				{"bits_a", strconv.Itoa(m.TypeA.Bits)}, {"bits_b", strconv.Itoa(m.TypeB.Bits)}, {"bits_c", strconv.Itoa(m.TypeC.Bits)},
			}, nil
		}},
	{"copy_atom", atoms, "which bits the threads of a copy give and get", []Param{need("ATOM", Name)}, []string{"SM75_U32x4_LDSM_N"},
		func(a args) (Value, error) {
			c, err := atom.CopyByName(copyName(a.name(0)))
			if err != nil {
				return nil, err
			}
			return Record{
				{"threads", strconv.Itoa(c.ThrID.Size())}, {"thr_id", c.ThrID.String()},
				{"src_bits", c.Src.String()}, {"dst_bits", c.Dst.String()}, {"ref_bits", c.Ref.String()},
			}, nil
		}},
	{"smem_atom", atoms, "a shared-memory tile of elements of BITS or of TYPE", []Param{need("ATOM", Name), need("BITS|TYPE", Integer|Name)},
		[]string{"GMMA_K_SW64", "16"},
		func(a args) (Value, error) {
			s, err := smemAtom(a.name(0), a.name(1))
			if err != nil {
				return nil, err
			}
			return Record{
				{"major", string(s.Major)}, {"raw", fmt.Sprintf("%v o smem_ptr[%db](unset) o %v", s.Swizzle, s.Bits, s.Layout)},
				{"in_elements", s.Elements().String()},
			}, nil
		}},
	{"tmem_frag", atoms, "an accumulator ((M,N),RESTM,RESTN) in Tensor Memory",
		[]Param{need("VALUE", Name), need("STORAGE", Name), need("SMS", Integer), need("ALLOC", Name), need("SHAPE", Tuple)},
		[]string{"float", "float", "1", "Interleaved", "((64,32),2,1)"}, tensorMemory},
	{"tile_smem_atom", atoms, "smem_atom repeated until it fills SHAPE",
		[]Param{need("ATOM", Name), need("BITS|TYPE", Integer|Name), need("SHAPE", Tuple)}, []string{"GMMA_K_SW64", "16", "(128,64)"},
		func(a args) (Value, error) {
			s, err := smemAtom(a.name(0), a.name(1))
			if err != nil {
				return nil, err
			}
			c := s.Elements()
			return c.With(algebra.TileToShape(c.Layout, a.tuple(2)))
		}},
}

// mmaAtoms and smemAtoms are the atoms by name, listed once, since a batch asks for many.
var (
	mmaAtoms = sync.OnceValue(func() map[string]atom.MMA {
		m := map[string]atom.MMA{}
		for _, a := range atom.All() {
			m[a.Name] = a
		}
		return m
	})
	smemAtoms = sync.OnceValue(atom.Smems)
)

func mmaAtom(name string) (atom.MMA, error) {
	if a, ok := mmaAtoms()[name]; ok {
		return a, nil
	}
	return atom.ByName(name) // its error has the nearest name
}

// smemAtom finds an atom by CuTe's name, or by that without Layout_ and _Atom, and the elements' type or its width.
func smemAtom(name, element string) (atom.Smem, error) {
	bits, err := parseInteger(element)
	if err != nil {
		if bits, err = bitsOf(element); err != nil {
			return atom.Smem{}, fmt.Errorf("%w, or a number of bits", err)
		}
	}
	short := strings.TrimSuffix(strings.TrimPrefix(name, "Layout_"), "_Atom")
	var names []string
	for _, s := range smemAtoms() {
		if s.Name == short && s.Bits == bits {
			return s, nil
		}
		if s.Bits == 16 {
			names = append(names, s.Name)
		}
	}
	return atom.Smem{}, fmt.Errorf("no shared-memory atom %q of %d bits, allowed are %s of 1, 8, 16 and 32 bits", name, bits,
		strings.Join(names, ", "))
}

// typeBits are the widths of CuTe's types, by name.
var typeBits = map[string]int{
	"int4_t": 4, "uint4_t": 4, "int8_t": 8, "uint8_t": 8, "float_e4m3_t": 8, "float_e5m2_t": 8, "int16_t": 16, "uint16_t": 16, "half_t": 16,
	"bfloat16_t": 16, "int32_t": 32, "uint32_t": 32, "float": 32, "tfloat32_t": 32, "int64_t": 64, "uint64_t": 64, "double": 64,
	"uint128_t": 128,
}

func bitsOf(name string) (int, error) {
	if n, ok := typeBits[name]; ok {
		return n, nil
	}
	return 0, fmt.Errorf("type %q, allowed are CuTe's names, such as half_t, float and int8_t", name)
}

// copyName is the name of a copy atom as package atom has it: CuTe's UniversalCopy<uint128_t> is written with its namespace there.
func copyName(name string) string {
	return strings.Replace(name, "<uint128_t>", "<cute::uint128_t>", 1)
}

// copyAtom reads Copy_Atom<SM75_U32x4_LDSM_N,half_t>. CuTe's DefaultCopy moves one element.
func copyAtom(text string) (tiled.CopyAtom, error) {
	inner, opened := strings.CutPrefix(text, "Copy_Atom<")
	inner, closed := strings.CutSuffix(inner, ">")
	comma := strings.LastIndex(inner, ",")
	if !opened || !closed || comma < 0 {
		return tiled.CopyAtom{}, fmt.Errorf("copy atom %q, allowed is Copy_Atom<INSTRUCTION,TYPE>, such as %s", text, loadExample)
	}
	name := strings.TrimSpace(inner[:comma])
	bits, err := bitsOf(strings.TrimSpace(inner[comma+1:]))
	if err != nil {
		return tiled.CopyAtom{}, err
	}
	if name == "DefaultCopy" {
		name = fmt.Sprintf("UniversalCopy<uint%d_t>", bits)
	}
	a, err := atom.CopyByName(copyName(name))
	if err != nil {
		return tiled.CopyAtom{}, err
	}
	return tiled.MakeCopyAtom(a, bits)
}

func tensorMemory(a args) (Value, error) {
	value, err := bitsOf(a.name(0))
	if err != nil {
		return nil, err
	}
	storage, err := bitsOf(a.name(1))
	if err != nil {
		return nil, err
	}
	shape := a.tuple(4)
	if !algebra.Congruent(shape, algebra.MakeTuple(algebra.Ints(1, 1), algebra.Int(1), algebra.Int(1))) {
		return nil, fmt.Errorf("tensor memory: shape %v, allowed is ((M,N),RESTM,RESTN)", shape)
	}
	sizes, err := integers(shape)
	if err != nil {
		return nil, err
	}
	return atom.TMEM{
		ValueBits: value, StorageBits: storage, SMs: a.integer(2), Alloc: atom.Alloc(a.name(3)),
		M: sizes[0], N: sizes[1], RestM: sizes[2], RestN: sizes[3],
	}.Layout()
}

// mmaParams are those of make_tiled_mma, and mmaArgs an example.
var (
	mmaParams = []Param{need("ATOM", Name), need("ATOMS", Layout), opt("PERMUTATION", Tiler)}
	mmaArgs   = []string{mmaExample, "(2,2,1):(1,2,4)", "(32,32,16)"}
)

func mmaOf(a args) (tiled.MMA, error) {
	m, err := mmaAtom(a.name(0))
	if err != nil {
		return tiled.MMA{}, err
	}
	var permutation algebra.Tiler
	if len(a) > 2 {
		permutation = a.tiler(2)
	}
	return tiled.MakeMMA(m, a.layout(1), permutation)
}

func ofMMA(name, meaning string, f func(m tiled.MMA) (Value, error)) Operation {
	return Operation{name, tiledMMAs, meaning, mmaParams, mmaArgs, func(a args) (Value, error) {
		m, err := mmaOf(a)
		if err != nil {
			return nil, err
		}
		return f(m)
	}}
}

// ofMMAThread is of the part of TENSOR that a thread of a tiled MMA has.
func ofMMAThread(name, meaning string, f func(t tiled.ThrMMA, tensor Value) (Value, error)) Operation {
	params := append(requiredOf(mmaParams), need("TENSOR", anyLayout), need("THREAD", Integer))
	return Operation{name, tiledMMAs, meaning, params, append(mmaArgs[:3:3], "(128,64):(1,128)", "26"), func(a args) (Value, error) {
		m, err := mmaOf(a[:3])
		if err != nil {
			return nil, err
		}
		thread, err := m.Slice(a.integer(4))
		if err != nil {
			return nil, err
		}
		return f(thread, a[3])
	}}
}

// requiredOf copies parameters without their being optional.
func requiredOf(params []Param) []Param {
	required := make([]Param, len(params))
	for i, p := range params {
		required[i] = need(p.Name, p.Kind)
	}
	return required
}

// value is an answer of a function that gives a layout.
func value(l algebra.Layout, err error) (Value, error) { return l, err }

var mmaOperations = []Operation{
	ofMMA("make_tiled_mma", "ATOMS of an MMA side by side, and the tile they work on", func(m tiled.MMA) (Value, error) {
		record := Record{{"threads", strconv.Itoa(m.Size())}, {"thr_layout", m.Threads.String()}, {"tile_shape", m.TileShape().String()}}
		return record.with("layoutA_TV", m.LayoutATV).with("layoutB_TV", m.LayoutBTV).with("layoutC_TV", m.LayoutCTV), nil
	}),
	ofMMA("tiled_mma_thr_layout", "(V,M,N,K) to a thread", func(m tiled.MMA) (Value, error) { return m.Threads, nil }),
	ofMMA("tiled_mma_tile_shape", "(M,N,K) of what all threads work on at once",
		func(m tiled.MMA) (Value, error) { return m.TileShape(), nil }),
	ofMMA("tiled_mma_layoutA_TV", "(thread,value) to an index of the tile (M,K)",
		func(m tiled.MMA) (Value, error) { return value(m.LayoutATV()) }),
	ofMMA("tiled_mma_layoutB_TV", "(thread,value) to an index of the tile (N,K)",
		func(m tiled.MMA) (Value, error) { return value(m.LayoutBTV()) }),
	ofMMA("tiled_mma_layoutC_TV", "(thread,value) to an index of the tile (M,N)",
		func(m tiled.MMA) (Value, error) { return value(m.LayoutCTV()) }),
	ofMMAThread("tiled_mma_partition_A", "THREAD's part of a TENSOR (M,K)",
		func(t tiled.ThrMMA, tensor Value) (Value, error) { return part(tensor, t.PartitionA) }),
	ofMMAThread("tiled_mma_partition_B", "THREAD's part of a TENSOR (N,K)",
		func(t tiled.ThrMMA, tensor Value) (Value, error) { return part(tensor, t.PartitionB) }),
	ofMMAThread("tiled_mma_partition_C", "THREAD's part of a TENSOR (M,N)",
		func(t tiled.ThrMMA, tensor Value) (Value, error) { return part(tensor, t.PartitionC) }),
	ofMMAThread("tiled_mma_partition_fragment_A", "registers for THREAD's part of a TENSOR (M,K)",
		func(t tiled.ThrMMA, tensor Value) (Value, error) {
			return value(t.PartitionFragmentA(composedOf(tensor).Layout))
		}),
	ofMMAThread("tiled_mma_partition_fragment_B", "registers for THREAD's part of a TENSOR (N,K)",
		func(t tiled.ThrMMA, tensor Value) (Value, error) {
			return value(t.PartitionFragmentB(composedOf(tensor).Layout))
		}),
	ofMMAThread("tiled_mma_partition_fragment_C", "registers for THREAD's part of a TENSOR (M,N)",
		func(t tiled.ThrMMA, tensor Value) (Value, error) {
			return value(t.PartitionFragmentC(composedOf(tensor).Layout))
		}),
}

// A copyMaker is one way to make a tiled copy: of the first arguments, as many as params.
type copyMaker struct {
	maker, prefix string // CuTe's function, and what the names of the answers begin with
	meaning       string
	params        []Param
	example       []string
	fragment      string // for retile
	make          func(c tiled.CopyAtom, a args) (tiled.Copy, error)
}

func copyMakers() []copyMaker {
	ofProduct := func(side, load, fragment string, f func(tiled.CopyAtom, tiled.MMA) (tiled.Copy, error)) copyMaker {
		return copyMaker{"make_tiled_copy_" + side, "tiled_copy_" + side, "a copy by the threads that have " + side[:1] + " of a tiled MMA",
			append([]Param{need("COPY", Name)}, requiredOf(mmaParams)...), append([]string{load}, mmaArgs...), fragment,
			func(c tiled.CopyAtom, a args) (tiled.Copy, error) {
				m, err := mmaOf(a[1:4])
				if err != nil {
					return tiled.Copy{}, err
				}
				return f(c, m)
			}}
	}
	const vector, store = "Copy_Atom<UniversalCopy<uint128_t>,half_t>", "Copy_Atom<SM90_U32x4_STSM_N,half_t>"
	return []copyMaker{
		{"make_tiled_copy", "tiled_copy", "a copy by THREADS that have VALUES each",
			[]Param{need("COPY", Name), need("THREADS", Layout), need("VALUES", Layout)}, []string{vector, "(16,8):(8,1)", "(1,8):(1,1)"},
			"(8,4,2):(1,8,32)",
			func(c tiled.CopyAtom, a args) (tiled.Copy, error) { return tiled.MakeCopy(c, a.layout(1), a.layout(2)) }},
		{"make_cotiled_copy", "cotiled_copy", "a copy of the offsets of TV, in a tensor that lies as DATA",
			[]Param{need("COPY", Name), need("TV", Layout), need("DATA", Layout)}, []string{vector, "(32,8):(8,1)", "(64,32):(1,64)"},
			"(8,4,2):(1,8,32)",
			func(c tiled.CopyAtom, a args) (tiled.Copy, error) {
				return tiled.MakeCotiledCopy(c, a.layout(1), a.layout(2))
			}},
		ofProduct("A", loadExample, "((2,2,2),4,4):((1,2,4),8,32)", tiled.MakeCopyA),
		ofProduct("B", "Copy_Atom<SM75_U32x2_LDSM_N,half_t>", "((2,2),4,4):((1,2),4,16)", tiled.MakeCopyB),
		ofProduct("C", store, "((2,2),4,4):((1,2),4,16)", tiled.MakeCopyC),
		ofProduct("C_atom", store, "((2,2),4,4):((1,2),4,16)", tiled.MakeCopyCAtom),
	}
}

var copyOperations = func() []Operation {
	var list []Operation
	for _, m := range copyMakers() {
		add := func(name, meaning string, more []Param, example []string, f func(c tiled.Copy, rest args) (Value, error)) {
			n := len(m.params)
			list = append(list, Operation{name, tiledCopies, meaning, append(m.params[:n:n], more...), append(m.example[:n:n], example...),
				func(a args) (Value, error) {
					c, err := copyAtom(a.name(0))
					if err != nil {
						return nil, err
					}
					tiledCopy, err := m.make(c, a)
					if err != nil {
						return nil, err
					}
					return f(tiledCopy, a[n:])
				}})
		}
		add(m.maker, m.meaning, nil, nil, func(c tiled.Copy, _ args) (Value, error) {
			record := Record{{"threads", strconv.Itoa(c.Size())}, {"tiler", fmt.Sprint(c.Tiler)}, {"layoutTV", c.TV.String()}}
			return record.with("layoutS_TV", c.LayoutSTV).with("layoutD_TV", c.LayoutDTV), nil
		})
		add(m.prefix+"_tiler", "what cuts the tile out of a tensor", nil, nil,
			func(c tiled.Copy, _ args) (Value, error) { return c.Tiler, nil })
		add(m.prefix+"_layoutTV", "(thread,value) to an index of the tile", nil, nil,
			func(c tiled.Copy, _ args) (Value, error) { return c.TV, nil })
		add(m.prefix+"_layoutS_TV", "(thread,value) of the sources to an index of the tile", nil, nil,
			func(c tiled.Copy, _ args) (Value, error) { return value(c.LayoutSTV()) })
		add(m.prefix+"_layoutD_TV", "(thread,value) of what is written to an index", nil, nil,
			func(c tiled.Copy, _ args) (Value, error) { return value(c.LayoutDTV()) })
		for _, side := range []struct {
			name, meaning string
			part          func(tiled.ThrCopy, algebra.Layout) (algebra.Layout, algebra.Tuple, error)
		}{
			{"S", "what THREAD reads of TENSOR", tiled.ThrCopy.PartitionS},
			{"D", "what THREAD writes of TENSOR", tiled.ThrCopy.PartitionD},
		} {
			add(m.prefix+"_partition_"+side.name, side.meaning, []Param{need("TENSOR", anyLayout), need("THREAD", Integer)},
				[]string{"(128,64):(1,128)", "26"}, func(c tiled.Copy, rest args) (Value, error) {
					thread, err := c.Slice(rest.integer(1))
					if err != nil {
						return nil, err
					}
					return part(rest[0], func(l algebra.Layout) (algebra.Layout, algebra.Tuple, error) { return side.part(thread, l) })
				})
		}
		add(m.prefix+"_retile", "a thread's FRAGMENT in the order of the copy", []Param{need("FRAGMENT", Layout)}, []string{m.fragment},
			func(c tiled.Copy, rest args) (Value, error) { return value(c.Retile(rest.layout(0))) })
	}
	return list
}()
