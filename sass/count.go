package sass

import (
	"slices"
	"strconv"
	"strings"
)

// A Class is a group of opcodes that do the same work.
type Class string

// The classes. Those of the uniform datapath, which computes once for a warp, are counted with the others of their work.
const (
	FFMA  Class = "FFMA"  // fp32 multiply-add
	IMAD  Class = "IMAD"  // integer multiply-add, which ptxas uses for moves and shifts as well: IMAD.MOV, IMAD.SHL
	IADD3 Class = "IADD3" // integer addition of any number of operands: IADD3, VIADD, IADD.64, UIADD3
	LEA   Class = "LEA"   // shift and add
	LOP3  Class = "LOP3"  // bitwise logic; not PLOP3, which is of predicates
	SHF   Class = "SHF"   // shift
	LDS   Class = "LDS"   // load from shared memory
	LDG   Class = "LDG"   // load from global memory
	STS   Class = "STS"   // store to shared memory
	STG   Class = "STG"   // store to global memory
	LDL   Class = "LDL"   // load from local memory: a spill, or an array that did not fit registers
	STL   Class = "STL"   // store to local memory
	BAR   Class = "BAR"   // barrier of the block
	Other Class = "other"
)

// Classes lists the classes in the order in which tables show them.
func Classes() []Class {
	return []Class{FFMA, IMAD, IADD3, LEA, LOP3, SHF, LDS, LDG, STS, STG, LDL, STL, BAR, Other}
}

var classes = map[string]Class{
	"FFMA": FFMA, "FFMA2": FFMA, "FFMA32I": FFMA,
	"IMAD": IMAD, "IMAD32I": IMAD, "UIMAD": IMAD, "VIMAD": IMAD,
	"IADD": IADD3, "IADD3": IADD3, "IADD32I": IADD3, "VIADD": IADD3, "UIADD": IADD3, "UIADD3": IADD3, "UVIADD": IADD3,
	"LEA": LEA, "ULEA": LEA,
	"LOP": LOP3, "LOP3": LOP3, "LOP32I": LOP3, "ULOP": LOP3, "ULOP3": LOP3, "ULOP32I": LOP3,
	"SHF": SHF, "USHF": SHF, "SHL": SHF, "SHR": SHF, "USHL": SHF, "USHR": SHF,
	"LDS": LDS, "LDG": LDG, "STS": STS, "STG": STG, "LDL": LDL, "STL": STL,
	"BAR": BAR, "UBAR": BAR,
}

// Class returns the instruction's class, by its opcode without modifiers.
func (in Instruction) Class() Class {
	if c, ok := classes[mnemonic(in.Opcode)]; ok {
		return c
	}
	return Other
}

// Width returns the bits that each thread moves if the instruction is a load or a store of a class, else 0.
//
//	LDS 32   LDS.U8 8   LDG.E.64 64   LDG.E.128.CONSTANT 128
func (in Instruction) Width() int {
	if !slices.Contains([]Class{LDS, LDG, STS, STG, LDL, STL}, in.Class()) {
		return 0
	}
	for _, modifier := range strings.Split(in.Opcode, ".")[1:] {
		switch modifier {
		case "U8", "S8":
			return 8
		case "U16", "S16":
			return 16
		case "64":
			return 64
		case "128":
			return 128
		case "256":
			return 256
		}
	}
	return 32
}

// Counts tells how many instructions some code has.
type Counts struct {
	Total   int            `json:"total"`
	ByClass map[Class]int  `json:"by_class"` // only of the classes that occur
	ByWidth map[string]int `json:"by_width"` // the loads and stores by class and width in bits: "LDS.128", "STG.32"
}

// Count counts instructions.
func Count(code []Instruction) Counts {
	c := Counts{Total: len(code), ByClass: map[Class]int{}, ByWidth: map[string]int{}}
	for _, in := range code {
		c.ByClass[in.Class()]++
		if w := in.Width(); w != 0 {
			c.ByWidth[string(in.Class())+"."+strconv.Itoa(w)]++
		}
	}
	return c
}

// Spills returns the accesses of local memory. A kernel of registers and shared memory alone has 0.
func (c Counts) Spills() int { return c.ByClass[LDL] + c.ByClass[STL] }

// IntegerClasses are those of integer arithmetic.
func IntegerClasses() []Class { return []Class{IMAD, IADD3, LEA, LOP3, SHF} }

// Integer returns the instructions of integer arithmetic.
func (c Counts) Integer() int {
	n := 0
	for _, class := range IntegerClasses() {
		n += c.ByClass[class]
	}
	return n
}
