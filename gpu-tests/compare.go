package gputests

import (
	"context"
	"fmt"

	"cutegen/gpu"
)

// A Pair is a derived kernel and the handwritten one of the same tiling.
type Pair struct{ Derived, Twin Build }

// Compare times each derived kernel against its twin, in turn on the same buffers, on the problems of its family. A record's ratio is the
// derived kernel's time over the twin's: 1.02 is slower by 2 %. Code and BaselineCode are left to the caller.
func Compare(ctx context.Context, device *gpu.Device, pairs []Pair, options Options) (records []Record, err error) {
	r, err := newRun(ctx, device, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = r.close(err) }()
	t, err := r.newTimer()
	if err != nil {
		return nil, err
	}
	defer t.destroy()
	for _, pair := range pairs {
		if pair.Derived.Family != pair.Twin.Family {
			return records, fmt.Errorf("%s is a %s, and its twin %s a %s", pair.Derived.Name, pair.Derived.Family, pair.Twin.Name, pair.Twin.Family)
		}
		transposes, gemms, err := load([]Build{pair.Derived, pair.Twin})
		if err != nil {
			return records, err
		}
		for _, p := range options.problemsOf(pair.Derived.Family) {
			t.say("%s against %s: %s", pair.Derived.Name, pair.Twin.Name, p)
			var record Record
			if len(transposes) == 2 {
				record, err = t.compareTransposes(p, transposes[0], transposes[1])
			} else {
				record, err = t.compareGEMMs(p, gemms[0], gemms[1])
			}
			if err != nil {
				return records, err
			}
			records = append(records, record)
		}
	}
	return records, nil
}

func (t *timer) compareTransposes(p Problem, derived, twin transposeKernel) (Record, error) {
	b, err := t.newTransposeBench(p)
	defer b.free()
	if err != nil {
		return Record{}, fmt.Errorf("%s: %w", p, err)
	}
	one, other := derived.contender(b, t.stream), twin.contender(b, t.stream)
	got, err := b.result(t, one)
	if err != nil {
		return Record{}, err
	}
	want, err := b.result(t, other)
	if err != nil {
		return Record{}, err
	}
	if err := b.agree(derived.Name, got, twin.Name, want); err != nil {
		return Record{}, err
	}
	times, err := t.race(b.sets, one, other)
	if err != nil {
		return Record{}, err
	}
	return t.slowdown(derived.Build, p, times[0], twin.Name, times[1]), nil
}

func (t *timer) compareGEMMs(p Problem, derived, twin sgemmKernel) (Record, error) {
	if derived.ops != twin.ops {
		return Record{}, fmt.Errorf("%s computes %s, and its twin %s %s", derived.Name, derived.ops, twin.Name, twin.ops)
	}
	b, err := t.newGEMMBench(p, derived.ops)
	defer b.free()
	if err != nil {
		return Record{}, fmt.Errorf("%s %s: %w", p, derived.ops, err)
	}
	one, other := derived.contender(b, t.stream), twin.contender(b, t.stream)
	got, err := b.result(t, one)
	if err != nil {
		return Record{}, err
	}
	want, err := b.result(t, other)
	if err != nil {
		return Record{}, err
	}
	apart, err := b.agree(derived.Name, got, twin.Name, want)
	if err != nil {
		return Record{}, err
	}
	times, err := t.race(b.sets, one, other)
	if err != nil {
		return Record{}, err
	}
	record := t.slowdown(derived.Build, p, times[0], twin.Name, times[1])
	record.MaxError = apart.absolute
	return record, nil
}

// slowdown makes a record of two times.
func (t *timer) slowdown(b Build, p Problem, own timing, baseline string, other timing) Record {
	r := t.stamp(b, p.String(), Microseconds)
	r.Baseline, r.Spread, r.Power = baseline, own.spread, t.power
	r.Value, r.BaselineValue = microseconds(own.median), microseconds(other.median)
	r.TimeUS, r.BaselineTimeUS = r.Value, r.BaselineValue
	r.Ratio = r.Value / r.BaselineValue
	return r
}
