package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// toolchain is where `make toolchain` unpacks the pinned CUDA compiler.
const toolchain = ".toolchain"

// findTool returns the path of a program of the CUDA toolkit or the system: from PATH, from $CUDA_HOME, from this project's own
// toolchain, or from where NVIDIA's installers put it.
func findTool(name string) (string, error) {
	if p, err := exec.LookPath(name); err == nil {
		return p, nil
	}
	dirs := []string{filepath.Join(toolchain, "nvidia", "cu13", "bin"), "/usr/local/cuda/bin"}
	if home := os.Getenv("CUDA_HOME"); home != "" {
		dirs = append([]string{filepath.Join(home, "bin")}, dirs...)
	}
	for _, dir := range dirs {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("no %s in PATH, $CUDA_HOME/bin, %s or %s", name, dirs[len(dirs)-2], dirs[len(dirs)-1])
}

// runTool returns what a program that should end at once prints.
func runTool(path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return string(out), nil
}
