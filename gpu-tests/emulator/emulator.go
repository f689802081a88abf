// Package emulator runs generated kernels without a GPU: the host's C++ compiler compiles the .cu as it is, with CUDA's words for macros, under
// AddressSanitizer and UndefinedBehaviorSanitizer. It is slow and says nothing of speed, but it needs no CUDA and judges the whole text that
// was printed, by what it does:
//
//	a wrong address         leaves its allocation or its shared array, or gives a wrong element
//	a misaligned vector     is undefined behaviour
//	an offset that wraps    is undefined behaviour
//	a missing barrier       gives a wrong element in one of two orders of the threads
//	a barrier not for all   is told by the block and the number of threads that miss
//	a read of nothing       of shared memory gives a NaN
//
// What it cannot see: a race between the lanes of a warp whose outcome no order of whole threads between two barriers shows.
package emulator

import (
	"bytes"
	"context"
	_ "embed" // emulator.h
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed emulator.h
var header string

// ErrNoCompiler is for a machine without a C++ compiler.
var ErrNoCompiler = errors.New("there is no c++: install a C++ compiler, such as g++")

// launchText is how a generated launcher launches: NAME_kernel<<<grid, 256, 0, stream>>>(...);
var launchText = regexp.MustCompile(`(\w+_kernel)<<<(\w+), (\d+), 0, stream>>>\((.*)\);\n`)

// asmTexts are the assembly that generated sources have, and what it does in C++.
var asmTexts = []struct{ asm, cpp string }{
	{"asm volatile(\"st.global.v4.f32 [%0], { %1, %2, %3, %4 };\"\n" +
		"                 :: \"l\"(p), \"f\"(r[0]), \"f\"(r[1]), \"f\"(r[2]), \"f\"(r[3]) : \"memory\");",
		"*(float4*)p = make_float4(r[0], r[1], r[2], r[3]);\n"},
	{`asm volatile("" : "+l"(offset));`, ""},
}

// translate makes C++ of a generated .cu, with the same lines. It changes what no macro can: the launch, and assembly.
func translate(source []byte, name string) (string, error) {
	text := launchText.ReplaceAllString(string(source), "emulator::launch($2, $3, [&] { $1($4); });\n")
	for _, t := range asmTexts {
		text = strings.ReplaceAll(text, t.asm, t.cpp)
	}
	for _, rest := range []string{"<<<", "asm "} {
		if at := strings.Index(text, rest); at >= 0 {
			line := 1 + strings.Count(text[:at], "\n")
			return "", fmt.Errorf("%s.cu:%d: the emulator does not know this use of %q", name, line, strings.TrimSpace(rest))
		}
	}
	return fmt.Sprintf("#include \"emulator.h\"\n#line 1 \"%s.cu\"\n%s\nint main() { return emulator::serve(%[1]s); }\n", name, text), nil
}

// A Program is a kernel's source, compiled for this machine.
type Program struct {
	name, path string
	process    *process // nil when none runs
}

// flags: what is wrong ends the program. A kernel's loads of a vector from a float array, and shared arrays in a section of their own, are
// to be watched too.
var flags = []string{"-std=c++17", "-O1", "-g1", "-w", "-fno-strict-aliasing", "-ffp-contract=off",
	"-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fsanitize-sections=cutegen_shared"}

// Compile compiles the source of the kernel name into the folder dir.
func Compile(ctx context.Context, source []byte, name, dir string) (*Program, error) {
	compiler, err := exec.LookPath("c++")
	if err != nil {
		return nil, ErrNoCompiler
	}
	text, err := translate(source, name)
	if err != nil {
		return nil, err
	}
	file, program := filepath.Join(dir, name+".cpp"), filepath.Join(dir, name)
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "emulator.h"), []byte(header), 0o644), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		return nil, err
	}
	out, err := exec.CommandContext(ctx, compiler, append(flags, "-o", program, file)...).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{compiler}, flags...), " "), err, out)
	}
	return &Program{name: name, path: program}, nil
}

// An Order is that of the threads between two barriers, and that of the blocks.
type Order byte

// The orders.
const (
	Forwards Order = iota
	Backwards
)

// String is "forwards" or "backwards".
func (o Order) String() string { return [...]string{"forwards", "backwards"}[o] }

// Address is that of a byte of a memory of a Launch, for its arguments. The null pointer is 0.
func Address(memory, offset int) uint64 { return uint64(memory+1)<<48 + uint64(offset) }

// Launch calls the launcher with memories and arguments, in the launcher's order, without the stream: an int64, a float32, or, for a
// pointer, the uint64 of an Address. It returns the launcher's status, and replaces the words of the memories by those after the kernel.
// The error is what a sanitizer or the emulator had to say: the kernel is wrong. A launch that outlasts ctx is stopped.
func (p *Program) Launch(ctx context.Context, order Order, memories [][]uint32, args ...any) (status int32, err error) {
	var problem bytes.Buffer
	put := func(v any) {
		if e := binary.Write(&problem, binary.LittleEndian, v); e != nil && err == nil {
			err = fmt.Errorf("emulator: %w", e)
		}
	}
	put(byte(order))
	put(uint64(len(memories)))
	for _, m := range memories {
		put(uint64(len(m)))
		put(m)
	}
	for _, a := range args {
		put(a)
	}
	if err != nil {
		return 0, err
	}
	if p.process == nil {
		if p.process, err = start(p.path); err != nil {
			return 0, err
		}
	}
	process := p.process.command.Process
	defer context.AfterFunc(ctx, func() { process.Kill() })()
	if _, err := p.process.in.Write(problem.Bytes()); err != nil {
		return 0, p.died(err)
	}
	if err := binary.Read(p.process.out, binary.LittleEndian, &status); err != nil {
		return 0, p.died(err)
	}
	for _, m := range memories {
		if err := binary.Read(p.process.out, binary.LittleEndian, m); err != nil {
			return 0, p.died(err)
		}
	}
	return status, nil
}

// died ends the process, which did not answer, and returns what it said.
func (p *Program) died(err error) error {
	ended := p.process.end()
	said := p.process.said.String()
	p.process = nil
	if said == "" {
		return fmt.Errorf("emulator: %w", errors.Join(err, ended))
	}
	return errors.New(summary(said))
}

// Close ends the program.
func (p *Program) Close() error {
	if p.process == nil {
		return nil
	}
	err := p.process.end()
	p.process = nil
	return err
}

// A process serves problems until its stdin ends.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     io.Reader
	said    bytes.Buffer
}

func start(path string) (*process, error) {
	p := &process{command: exec.Command(path)}
	p.command.Stderr = &p.said
	// The stacks of fibres are not the sanitizer's own, and what a program that is stopped has not freed is no fault.
	p.command.Env = append(os.Environ(), "ASAN_OPTIONS=detect_stack_use_after_return=0:detect_leaks=0", "UBSAN_OPTIONS=print_stacktrace=0")
	var err error
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.command.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.command.Start()
}

func (p *process) end() error {
	p.in.Close()
	return p.command.Wait()
}

// summary is the line of a sanitizer's report that says what is wrong, and where in the .cu.
func summary(said string) string {
	var what, where string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "emulator: "), strings.Contains(line, ": runtime error: "):
			return line
		case what == "" && strings.Contains(line, "ERROR: AddressSanitizer: "):
			_, what, _ = strings.Cut(line, "ERROR: AddressSanitizer: ")
			what, _, _ = strings.Cut(what, " on address ")
		case strings.HasPrefix(line, "READ of size ") || strings.HasPrefix(line, "WRITE of size "):
			access, _, _ := strings.Cut(line, " at ")
			what += ": " + access
		case where == "" && strings.HasPrefix(line, "#") && strings.Contains(line, ".cu:"):
			_, where, _ = strings.Cut(line, " in ")
			if at := strings.LastIndex(where, " "); at >= 0 { // the function, and the file with its folder
				where = where[:at+1] + filepath.Base(where[at+1:])
			}
		}
	}
	if what == "" {
		return strings.TrimSpace(said)
	}
	return what + " in " + where
}
