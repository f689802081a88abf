package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// toolDirs are where the CUDA toolkit's programs may be beside PATH: where NVIDIA's installers put them, and in the toolchain that
// make toolchain unpacks below the working folder.
var toolDirs = []string{"/usr/local/cuda/bin", filepath.Join(".toolchain", "cuda-13.0", "nvidia", "cu13", "bin")}

// findTools returns the paths of the programs of a name, in the order of the Makefile: in PATH, then in toolDirs.
func findTools(name string) []string {
	files := []string{name}
	for _, dir := range toolDirs {
		files = append(files, filepath.Join(dir, name))
	}
	var paths []string
	for _, file := range files {
		if p, err := exec.LookPath(file); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// findTool returns the first of findTools.
func findTool(name string) (string, error) {
	if paths := findTools(name); len(paths) > 0 {
		return paths[0], nil
	}
	return "", errNotFound
}

var errNotFound = errors.New("not in PATH, " + strings.Join(toolDirs, ", "))

// runTool returns what a program that should end at once prints.
func runTool(path string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", path, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return string(out), nil
}
