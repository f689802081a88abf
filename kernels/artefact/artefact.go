// Package artefact writes the files of generated kernels into a folder, and reads their manifests back.
//
//	DIR/NAME.cu            the kernel and its launcher
//	DIR/NAME.h             the launcher's declaration
//	DIR/NAME.json          the manifest
//	DIR/go/NAME/NAME.go    the Go package that loads and launches NAME.so
//	DIR/catalogue.json     the list of the kernels here, with their source hashes
package artefact

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"

	"cutegen/emit/bind"
	"cutegen/kernels"
)

// listFile names every kernel that Write may later overwrite or remove. It takes its place before the kernels' files, so that a Write that
// is killed leaves none that is not listed.
const listFile = "catalogue.json"

// A listed kernel is one element of the list file.
type listed struct {
	Name       string `json:"name"`
	SourceHash string `json:"source_hash"`
}

// Write makes dir hold the files of exactly the kernels ks. A file that would not change is not touched, so that what was built
// from it stays newer than it. Files of kernels that an earlier Write left and ks lacks are removed, and what was built from them,
// NAME.cubin and NAME.so.
//
// Only what an earlier Write wrote is overwritten or removed: the list names its kernel, and the file begins as generated ones do. It
// is an error if another file is in the way.
//
// Every text is made before the first file is written, and every new file lies whole beside the old one before the first takes
// its place: an error on the way leaves dir as it was.
func Write(dir string, ks []*kernels.Kernel) error {
	files, err := render(ks)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	old, err := readList(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, err)
	}

	stale := staleOf(old, ks)
	for _, f := range append(stale, files...) {
		if err := inTheWay(root, f, old); err != nil {
			return fmt.Errorf("%s: %w; move it away, or choose another folder", path.Join(dir, f.name), err)
		}
	}
	staged, err := stage(root, files)
	defer func() {
		for _, name := range staged {
			root.Remove(beside(name)) // those that took their place are gone
		}
	}()
	if err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	if err := remove(root, stale); err != nil {
		return fmt.Errorf("%s: %w", dir, err)
	}
	for _, name := range staged {
		if err := root.Rename(beside(name), name); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
	}
	return nil
}

// Read returns the manifests of the kernels in dir, in the order in which they were written.
func Read(dir string) ([]kernels.Manifest, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	list, err := readList(root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	manifests := make([]kernels.Manifest, len(list))
	for i, l := range list {
		text, err := root.ReadFile(l.Name + ".json")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		m := &manifests[i]
		if err := json.Unmarshal(text, m); err != nil {
			return nil, fmt.Errorf("%s: %w", path.Join(dir, l.Name+".json"), err)
		}
		if m.Name != l.Name || m.SourceHash != l.SourceHash {
			return nil, fmt.Errorf("%s: holds kernel %s of source %s, but %s lists %s of source %s: generate again",
				path.Join(dir, l.Name+".json"), m.Name, m.SourceHash, listFile, l.Name, l.SourceHash)
		}
	}
	return manifests, nil
}

// A file is a path below the folder, with slashes, and what it is to hold; kernel is "" for the list.
type file struct{ kernel, name, text string }

// filesOf names the files of one kernel.
func filesOf(kernel string) (cu, h, manifest, binding string) {
	return kernel + ".cu", kernel + ".h", kernel + ".json", path.Join("go", kernel, kernel+".go")
}

// render returns every file of ks, the list first.
func render(ks []*kernels.Kernel) ([]file, error) {
	var files []file
	list := []listed{}
	for _, k := range ks {
		m := k.Manifest
		if h := kernels.Hash(k.Source); h != m.SourceHash {
			return nil, fmt.Errorf("kernel %s: the manifest's source hash is %q, the source's is %q", m.Name, m.SourceHash, h)
		}
		binding, err := bind.Source(bindingOf(m))
		if err != nil {
			return nil, err
		}
		manifest, err := marshal(m)
		if err != nil {
			return nil, fmt.Errorf("kernel %s: %w", m.Name, err)
		}
		cu, h, js, goFile := filesOf(m.Name)
		files = append(files, file{m.Name, cu, k.Source}, file{m.Name, h, k.Header}, file{m.Name, js, manifest}, file{m.Name, goFile, binding})
		list = append(list, listed{m.Name, m.SourceHash})
	}
	text, err := marshal(list)
	if err != nil {
		return nil, err
	}
	files = slices.Insert(files, 0, file{"", listFile, text})

	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.name] {
			return nil, fmt.Errorf("two kernels would both write %s", f.name)
		}
		seen[f.name] = true
	}
	return files, nil
}

func bindingOf(m kernels.Manifest) bind.Binding {
	doc := "It is of the family " + m.Family + ", with the spec\n\n"
	for _, key := range slices.Sorted(maps.Keys(m.Spec)) {
		doc += "\t" + key + ": " + m.Spec[key] + "\n"
	}
	b := bind.Binding{Name: m.Name, Doc: doc, SourceHash: m.SourceHash}
	for _, p := range m.Params {
		b.Params = append(b.Params, bind.Param{Name: p.Name, Type: p.Type, Doc: p.Doc})
	}
	return b
}

// marshal is json.MarshalIndent that leaves the angle brackets of Sw<2,3,3> readable.
func marshal(v any) (string, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.String(), err
}

// beside is where a file lies until it is whole.
func beside(name string) string { return fmt.Sprintf("%s.%d.tmp", name, os.Getpid()) }

// stage writes each file that differs from what root holds beside its place. It returns their names, also on an error.
func stage(root *os.Root, files []file) (staged []string, err error) {
	for _, f := range files {
		old, err := root.ReadFile(f.name)
		if err == nil && string(old) == f.text {
			continue
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return staged, err
		}
		if err := root.MkdirAll(path.Dir(f.name), 0o777); err != nil {
			return staged, err
		}
		staged = append(staged, f.name)
		if err := root.WriteFile(beside(f.name), []byte(f.text), 0o666); err != nil {
			return staged, err
		}
	}
	return staged, nil
}

// staleOf are the files of the kernels in old that ks lacks, and what make kernels builds from them.
func staleOf(old []listed, ks []*kernels.Kernel) []file {
	var stale []file
	for _, l := range old {
		if slices.ContainsFunc(ks, func(k *kernels.Kernel) bool { return k.Manifest.Name == l.Name }) {
			continue
		}
		cu, h, js, goFile := filesOf(l.Name)
		for _, name := range []string{cu, h, js, goFile, l.Name + ".cubin", l.Name + ".so"} {
			stale = append(stale, file{kernel: l.Name, name: name})
		}
	}
	return stale
}

// inTheWay is an error if f would overwrite or remove a file that no earlier Write wrote.
func inTheWay(root *os.Root, f file, old []listed) error {
	text, err := root.ReadFile(f.name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(text) == f.text {
		return nil
	}
	if err != nil {
		return err
	}
	switch {
	case f.name == listFile: // readList has read it
	case !slices.ContainsFunc(old, func(l listed) bool { return l.Name == f.kernel }):
		return fmt.Errorf("not a file that cutegen wrote: %s does not list the kernel", listFile)
	case slices.Contains([]string{".cubin", ".so"}, path.Ext(f.name)): // built from a kernel of ours
	case path.Ext(f.name) == ".json":
		var m kernels.Manifest
		if err := json.Unmarshal(text, &m); err != nil || m.Name != f.kernel {
			return errors.New("not a file that cutegen wrote: it is not the kernel's manifest")
		}
	case !bytes.HasPrefix(text, []byte(generated)):
		return fmt.Errorf("not a file that cutegen wrote: it does not begin with %q", generated)
	}
	return nil
}

// generated is how every CUDA, C and Go file begins that cutegen writes.
const generated = "// Code generated by cutegen. DO NOT EDIT."

func remove(root *os.Root, files []file) error {
	for _, f := range files {
		if err := root.Remove(f.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if dir := path.Dir(f.name); dir != "." {
			root.Remove(dir) // stays if somebody put a file there
		}
	}
	return nil
}

func readList(root *os.Root) ([]listed, error) {
	text, err := root.ReadFile(listFile)
	if err != nil {
		return nil, err
	}
	var list []listed
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		return nil, fmt.Errorf("%s: not a list of kernels: %w", listFile, err)
	}
	for _, l := range list {
		if l.Name == "" || l.SourceHash == "" {
			return nil, fmt.Errorf("%s: not a list of kernels: one has no name or no source_hash", listFile)
		}
	}
	return list, nil
}
