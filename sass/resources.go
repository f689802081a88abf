package sass

import (
	"fmt"
	"regexp"
	"strconv"
)

// Resources are what a launch of a kernel takes.
type Resources struct {
	Registers int `json:"registers"` // of each thread
	Shared    int `json:"shared"`    // bytes of each block; on sm_90 and later 1024 of them are the system's own
	Stack     int `json:"stack"`     // bytes of each thread, in local memory; 0 if nothing is spilled
	Local     int `json:"local"`     // bytes of each thread beside the stack
}

var (
	usageFunction = regexp.MustCompile(`(?m)^\s*Function (\S+):`)
	usageField    = regexp.MustCompile(`\b(REG|STACK|SHARED|LOCAL):(\d+)`)
)

// ParseResources reads what cuobjdump -res-usage prints of one kernel.
func ParseResources(text string) (Resources, error) {
	functions := usageFunction.FindAllStringSubmatch(text, -1)
	if len(functions) != 1 {
		return Resources{}, fmt.Errorf("sass: resource usage of %d kernels in the text, which starts %.40q: want what cuobjdump -res-usage prints of one", len(functions), text)
	}
	values := map[string]int{}
	for _, m := range usageField.FindAllStringSubmatch(text, -1) {
		v, err := strconv.Atoi(m[2])
		if err != nil {
			return Resources{}, fmt.Errorf("sass: resource usage of %s: %w", functions[0][1], err)
		}
		values[m[1]] = v
	}
	for _, field := range []string{"REG", "STACK", "SHARED", "LOCAL"} {
		if _, ok := values[field]; !ok {
			return Resources{}, fmt.Errorf("sass: resource usage of %s has no %s", functions[0][1], field)
		}
	}
	return Resources{Registers: values["REG"], Shared: values["SHARED"], Stack: values["STACK"], Local: values["LOCAL"]}, nil
}
