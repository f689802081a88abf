package gpu

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/ebitengine/purego"
)

// openLibrary opens the shared library name for the life of the process: where the loader looks, else in the first of folders that
// holds it, there after the libraries that it needs. It returns the handle and the path, which is name alone where the loader found it.
// The error lists what was tried.
func openLibrary(name string, folders []string, needs ...string) (handle uintptr, path string, err error) {
	handle, err = dlopen(name)
	if err == nil {
		return handle, name, nil
	}
	tried := []string{err.Error()}
	for _, folder := range folders {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err != nil {
			continue
		}
		for _, need := range needs {
			// Loaded by its path, it is found by its name when the library asks for it. If that fails, so does the library, and says why.
			_, _ = dlopen(filepath.Join(folder, need))
		}
		handle, err := dlopen(path)
		if err == nil {
			return handle, path, nil
		}
		tried = append(tried, err.Error())
	}
	return 0, "", fmt.Errorf("cannot open %s: %s; looked in LD_LIBRARY_PATH, the loader's folders%s", name,
		strings.Join(tried, "; "), also(folders))
}

func also(folders []string) string {
	var b strings.Builder
	for _, f := range folders {
		b.WriteString(", ")
		b.WriteString(f)
	}
	return b.String()
}

// dlopen and dlsym hold the goroutine on its thread: why they failed is asked in a second call, dlerror, which knows only what happened on
// the thread that it is called on.
func dlopen(path string) (handle uintptr, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func dlsym(handle uintptr, name string) (address uintptr, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(handle, name)
}

// A symbol ties an exported C function to the Go variable through which it is called.
type symbol struct {
	name string
	fn   any // a pointer to a variable of function type
}

// bind sets every variable, or says which symbol the library lacks.
func bind(handle uintptr, path string, symbols []symbol) error {
	for _, s := range symbols {
		address, err := dlsym(handle, s.name)
		if err != nil {
			return fmt.Errorf("%s has no %s: %w", path, s.name, err)
		}
		purego.RegisterFunc(s.fn, address)
	}
	return nil
}

// globs returns the folders that match any of the patterns, in their order.
func globs(patterns ...string) []string {
	var folders []string
	for _, p := range patterns {
		// The only error is a bad pattern, and a folder's name in it that looks like one finds nothing.
		found, _ := filepath.Glob(p)
		folders = append(folders, found...)
	}
	return folders
}
