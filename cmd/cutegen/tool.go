package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// findTool returns the path of a program of the CUDA toolkit or the system: $NVCC in the case of nvcc, else what is in PATH, where
// NVIDIA's installers put it, or in the pinned toolchain below the working folder. It is the order of the Makefile.
func findTool(name string) (string, error) {
	if nvcc := os.Getenv("NVCC"); name == "nvcc" && nvcc != "" {
		return exec.LookPath(nvcc)
	}
	if p, err := exec.LookPath(name); err == nil {
		return p, nil
	}
	dirs := []string{"/usr/local/cuda/bin", filepath.Join(".toolchain", "cuda-13.0", "nvidia", "cu13", "bin")}
	for _, dir := range dirs {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("not in PATH, %s", strings.Join(dirs, ", "))
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
