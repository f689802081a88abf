// Package sass counts a kernel's machine instructions, read from the text that NVIDIA's disassemblers print.
//
//	cuobjdump -sass k.cubin   or   nvdisasm k.cubin   ->  Parse           ->  Count of the whole kernel, or of its main loop
//	cuobjdump -res-usage k.cubin                      ->  ParseResources
//
// The two texts differ in how they name a branch's target, by address or by label; Parse reads both:
//
//	/*0230*/  @!P0 BRA 0x140 ;                      .L_x_1:
//	                                                /*0230*/  @!P0 BRA `(.L_x_1) ;
package sass

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Kernel is the machine code of one kernel, without what pads it behind its last instruction: a branch to itself, and NOPs.
type Kernel struct {
	Name string
	Code []Instruction
}

// An Instruction is one machine instruction, without its predicate and operands.
type Instruction struct {
	Address int    // bytes from the kernel's first instruction
	Opcode  string // with its modifiers, as "LDG.E.128.CONSTANT"
	target  int    // where a branch goes, else noTarget
}

const noTarget = -1

var (
	functionLine    = regexp.MustCompile(`^\s*Function : (\S+)`)           // cuobjdump
	sectionLine     = regexp.MustCompile(`^\s*\.section\s+(\.[^",\s]+)`)   // nvdisasm
	labelLine       = regexp.MustCompile(`^(\.L\S+):`)                     // nvdisasm
	addressLine     = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/\s(.*)`) // an instruction; the second half of its code has no address
	instructionText = regexp.MustCompile(`^\s*(?:@!?U?P[0-9T]\s+)?([A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*([^;]*);`)
	addressOperand  = regexp.MustCompile(`0x([0-9a-f]+)\s*$`)
	labelOperand    = regexp.MustCompile("`\\((\\.L\\S+)\\)\\s*$")
)

// Parse reads the disassembly of one kernel. Text with no kernel or with several is an error, and so is an instruction that cannot
// be read, since a count without it would be wrong.
func Parse(text string) (Kernel, error) {
	var k Kernel
	labels := map[string]int{}  // label -> address
	pending := map[int]string{} // index of a branch -> label that it goes to
	var unplaced []string       // labels of the instruction that comes next
	inCode := false
	for n, line := range strings.Split(text, "\n") {
		name, isHead := head(line)
		switch {
		case isHead && name == "":
			inCode = false
			continue
		case isHead && k.Name != "":
			return Kernel{}, fmt.Errorf("sass: line %d: a second kernel, %s, after %s: disassemble one alone", n+1, name, k.Name)
		case isHead:
			k.Name, inCode = name, true
			continue
		case !inCode:
			continue
		}
		if m := labelLine.FindStringSubmatch(line); m != nil {
			unplaced = append(unplaced, m[1])
			continue
		}
		m := addressLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		in, label, err := instruction(m[1], m[2])
		if err != nil {
			return Kernel{}, fmt.Errorf("sass: line %d: %w", n+1, err)
		}
		for _, l := range unplaced {
			labels[l] = in.Address
		}
		unplaced = nil
		if label != "" {
			pending[len(k.Code)] = label
		}
		k.Code = append(k.Code, in)
	}
	if k.Name == "" || len(k.Code) == 0 {
		return Kernel{}, fmt.Errorf("sass: no kernel's code in the text, which starts %.40q: want what cuobjdump -sass or nvdisasm prints", text)
	}
	for i := range k.Code {
		label, ok := pending[i]
		if !ok {
			continue
		}
		address, ok := labels[label]
		if !ok {
			return Kernel{}, fmt.Errorf("sass: the branch at 0x%x goes to %s, which labels no instruction", k.Code[i].Address, label)
		}
		k.Code[i].target = address
	}
	k.Code = withoutPadding(k.Code)
	return k, nil
}

// head reads a line that starts a kernel's code; of a line that starts something else the name is "".
func head(line string) (name string, ok bool) {
	if m := functionLine.FindStringSubmatch(line); m != nil {
		return m[1], true
	}
	m := sectionLine.FindStringSubmatch(line)
	if m == nil {
		return "", false
	}
	if name, isCode := strings.CutPrefix(m[1], ".text."); isCode {
		return name, true
	}
	return "", true
}

// instruction reads what stands behind an address; label is where a branch goes that names no address.
func instruction(address, text string) (in Instruction, label string, err error) {
	at, err := strconv.ParseInt(address, 16, 64)
	m := instructionText.FindStringSubmatch(text)
	if err != nil || m == nil {
		return in, "", fmt.Errorf("want an instruction behind /*%s*/, got %q", address, strings.TrimSpace(text))
	}
	in = Instruction{Address: int(at), Opcode: m[1], target: noTarget}
	if mnemonic(in.Opcode) != "BRA" {
		return in, "", nil
	}
	operands := m[2]
	if m := labelOperand.FindStringSubmatch(operands); m != nil {
		return in, m[1], nil
	}
	if m := addressOperand.FindStringSubmatch(operands); m != nil {
		to, err := strconv.ParseInt(m[1], 16, 64)
		in.target = int(to)
		return in, "", err
	}
	return in, "", fmt.Errorf("want a branch to an address or a label, got %q", strings.TrimSpace(text))
}

func withoutPadding(code []Instruction) []Instruction {
	n := len(code)
	for n > 0 && code[n-1].Opcode == "NOP" {
		n--
	}
	if n > 0 && code[n-1].target == code[n-1].Address {
		n--
	}
	return code[:n]
}

// mnemonic is an opcode without its modifiers.
func mnemonic(opcode string) string {
	m, _, _ := strings.Cut(opcode, ".")
	return m
}

// MainLoop returns the loop that does the kernel's arithmetic: of the ranges that a backward branch closes, the one with the most
// FFMAs, and of equal ones the shortest. A kernel without such a loop, as a transpose, has none: nil.
func (k Kernel) MainLoop() []Instruction {
	var loop []Instruction
	most := 0
	for end, in := range k.Code {
		if in.target == noTarget || in.target > in.Address {
			continue
		}
		start := end
		for start > 0 && k.Code[start-1].Address >= in.target {
			start--
		}
		body := k.Code[start : end+1]
		n := Count(body).ByClass[FFMA]
		if n > most || n == most && n > 0 && len(body) < len(loop) {
			loop, most = body, n
		}
	}
	return loop
}
