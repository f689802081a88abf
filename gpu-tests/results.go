package gputests

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cutegen/kernels"
)

// Metrics of a Record.
const (
	// Failures is the number of cases that a kernel got wrong; 0 verifies it.
	Failures = "failures"
	// ErrorOverBound is the largest error of an element relative to what it may be; at most 1 verifies it.
	ErrorOverBound = "error/bound"
	// GBPerSecond counts bytes read plus bytes written, TFLOPS two operations for each product; more is better.
	GBPerSecond = "GB/s"
	TFLOPS      = "TFLOP/s"
	// Microseconds is the time of one launch; less is better.
	Microseconds = "us"
)

// A Record is one result of one kernel on one problem, and what is needed to judge it. It is one line of a results file.
type Record struct {
	Kernel  string `json:"kernel"`
	Family  string `json:"family"`
	Problem string `json:"problem"`
	Metric  string `json:"metric"`
	// Value of the metric. An error that is no number is the largest float64.
	Value float64 `json:"value"`
	// Baseline is what the kernel was measured against, BaselineValue its value, and Ratio is Value / BaselineValue, or 0.
	Baseline      string  `json:"baseline"`
	BaselineValue float64 `json:"baseline_value"`
	Ratio         float64 `json:"ratio"`
	// MaxError is the largest |got - want| of any element.
	MaxError float64 `json:"max_error"`
	Device   string  `json:"device"`

	// SourceHash is the hash of the source that was built.
	SourceHash string `json:"source_hash"`
	// Cases is the number of launches that were checked.
	Cases int `json:"cases,omitempty"`
	// TimeUS and BaselineTimeUS are medians in microseconds; Spread is half the interquartile range of the time relative to it.
	TimeUS         float64 `json:"time_us,omitempty"`
	BaselineTimeUS float64 `json:"baseline_time_us,omitempty"`
	Spread         float64 `json:"spread,omitempty"`
	// Code and BaselineCode describe the machine code of both sides of a comparison; the caller of Compare fills them in.
	Code         *Code `json:"code,omitempty"`
	BaselineCode *Code `json:"baseline_code,omitempty"`

	Driver  string `json:"driver"`
	CUDA    string `json:"cuda"`
	CUBLAS  string `json:"cublas,omitempty"`
	Power   string `json:"power,omitempty"`
	Command string `json:"command"`
	Date    string `json:"date"`
}

// Code is what a kernel became: its registers and how many instructions of each class its main loop has, by the names of the disassembly.
// A kernel without a main loop, as a transpose, is counted whole.
type Code struct {
	Registers    int            `json:"registers"`
	Instructions map[string]int `json:"instructions"`
}

// A Row is a Record as reports show it, beside the sources as they are now.
type Row struct {
	Record
	// Current says that the record is of the source that is generated now.
	Current bool `json:"current"`
}

// Rows marks the records that are of the sources of these manifests.
func Rows(records []Record, manifests []kernels.Manifest) []Row {
	hashes := map[string]string{}
	for _, m := range manifests {
		hashes[m.Name] = m.SourceHash
	}
	rows := make([]Row, len(records))
	for i, r := range records {
		rows[i] = Row{r, r.SourceHash != "" && hashes[r.Kernel] == r.SourceHash}
	}
	return rows
}

// Unverified says what the records lack for the kernel to count as verified: a current and good record of each check of its family.
// It is nil if they lack nothing.
func Unverified(records []Record, m kernels.Manifest) error {
	var missing []string
	checks := fullScope().checks(m.Family)
	for _, check := range checks {
		i := slices.IndexFunc(records, func(r Record) bool {
			return r.Kernel == m.Name && r.Problem == check.problem && r.Metric == check.metric
		})
		switch {
		case i < 0:
			missing = append(missing, check.problem+": no record")
		case records[i].SourceHash != m.SourceHash:
			missing = append(missing, fmt.Sprintf("%s: the record is of source %s", check.problem, records[i].SourceHash))
		case check.metric == Failures && records[i].Value != 0:
			missing = append(missing, fmt.Sprintf("%s: %g of %d cases failed", check.problem, records[i].Value, records[i].Cases))
		case check.metric == ErrorOverBound && !(records[i].Value <= 1):
			missing = append(missing, fmt.Sprintf("%s: the error is %.3g times its bound", check.problem, records[i].Value))
		}
	}
	switch {
	case len(checks) == 0:
		return fmt.Errorf("kernel %s: there are no tests for the family %q", m.Name, m.Family)
	case len(missing) > 0:
		return fmt.Errorf("kernel %s of source %s is not verified: %s", m.Name, m.SourceHash, strings.Join(missing, "; "))
	}
	return nil
}

// key is what makes two records the same measurement.
func (r Record) key() [4]string { return [4]string{r.Kernel, r.Problem, r.Metric, r.Baseline} }

// Merge returns old with the records of a run put in: a record replaces the one of the same kernel, problem, metric and baseline, and
// all others stay. The result is sorted.
func Merge(old, run []Record) []Record {
	all := map[[4]string]Record{}
	for _, r := range append(slices.Clone(old), run...) {
		all[r.key()] = r
	}
	merged := make([]Record, 0, len(all))
	for _, r := range all {
		merged = append(merged, r)
	}
	slices.SortFunc(merged, func(a, b Record) int {
		ka, kb := a.key(), b.key()
		return slices.Compare(ka[:], kb[:])
	})
	return merged
}

// Load reads a results file. A file that does not exist holds no records.
func Load(path string) ([]Record, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var records []Record
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for n := 1; lines.Scan(); n++ {
		var r Record
		d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil {
			return nil, fmt.Errorf("%s:%d: no record: %w", path, n, err)
		}
		if d.More() || r.Kernel == "" {
			return nil, fmt.Errorf("%s:%d: want one record with a kernel's name on the line", path, n)
		}
		records = append(records, r)
	}
	return records, lines.Err()
}

// Update merges the records of a run into a results file. The new file is written whole beside the old one and then takes its place.
func Update(path string, run []Record) error {
	old, err := Load(path)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, r := range Merge(old, run) {
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("%s: kernel %s, %s: %w", path, r.Kernel, r.Problem, err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	beside, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(beside.Name()) // once renamed it is gone
	_, err = beside.Write(text.Bytes())
	if err := errors.Join(err, beside.Chmod(0o644), beside.Close()); err != nil {
		return err
	}
	return os.Rename(beside.Name(), path)
}
