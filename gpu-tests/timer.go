package gputests

import (
	"fmt"
	"math"
	"slices"
	"time"

	"cutegen/gpu"
)

// How times are taken: events around chains of launches, the contenders in turn, so that a drift of the clocks meets all of them.
const (
	// samples of each contender; their median counts.
	samples = 15
	// chainTime is the least time of a sample: the clock of events ticks every half microsecond.
	chainTime = 1500 * time.Microsecond
	// warmTime brings the clocks up.
	warmTime = 15 * time.Millisecond
	// graphTime is the time of a launch from which on the 4 us that a launch costs on a stream hide behind the one before.
	graphTime = 100 * time.Microsecond
	// mostNodes of a graph.
	mostNodes = 1 << 14
)

// A contender is one way to solve a problem.
type contender struct {
	name string
	// start starts one launch on a set of buffers.
	start func(set int) error
}

// A timing is the time of one launch, at least a nanosecond.
type timing struct {
	median time.Duration
	// spread is half the interquartile range relative to the median.
	spread float64
}

// A chain is a number of launches that are timed together.
type chain struct {
	contender
	launches int
	graph    *gpu.Graph // nil if the launches go to the stream one by one
	sets     int
	next     int // the set of the next launch
	times    []time.Duration
}

// A timer takes times on a stream.
type timer struct {
	*run
	start, end *gpu.Event
	// power is the state of the clocks while the first contender ran, or why it is not known.
	power string
}

func (r *run) newTimer() (*timer, error) {
	start, err := r.device.Event()
	if err != nil {
		return nil, err
	}
	end, err := r.device.Event()
	if err != nil {
		return nil, err
	}
	return &timer{run: r, start: start, end: end}, nil
}

// destroy gives the events back. What fails now shows in the next call on the device too.
func (t *timer) destroy() {
	_ = t.start.Destroy()
	_ = t.end.Destroy()
}

// race times the contenders against each other. Each works on the sets of buffers in turn, so that with enough sets none finds its data in
// the cache.
func (t *timer) race(sets int, contenders ...contender) ([]timing, error) {
	chains := make([]*chain, len(contenders))
	defer func() {
		for _, c := range chains {
			if c != nil && c.graph != nil {
				_ = c.graph.Destroy()
			}
		}
	}()
	for i, c := range contenders {
		var err error
		if chains[i], err = t.chain(c, sets); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for sample := range samples {
		for i, c := range chains {
			if err := t.ctx.Err(); err != nil {
				return nil, err
			}
			elapsed, err := t.time(c, i == 0 && sample == samples/2)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
			c.times = append(c.times, max(elapsed/time.Duration(c.launches), 1))
		}
	}
	timings := make([]timing, len(chains))
	for i, c := range chains {
		timings[i] = summary(c.times)
	}
	return timings, nil
}

// summary is the median and the spread of times.
func summary(times []time.Duration) timing {
	slices.Sort(times)
	n := len(times)
	median := times[n/2]
	return timing{median, float64(times[3*n/4]-times[n/4]) / 2 / float64(median)}
}

// chain warms a contender up and makes a chain of it that is long enough to be timed.
func (t *timer) chain(c contender, sets int) (*chain, error) {
	ch := &chain{contender: c, sets: sets, launches: 1}
	// The first launch loads the module.
	if err := ch.run(); err != nil {
		return nil, err
	}
	if err := t.stream.Wait(); err != nil {
		return nil, err
	}
	each := time.Duration(math.MaxInt64)
	for warm := time.Duration(0); warm < warmTime; ch.launches *= 2 {
		elapsed, err := t.time(ch, false)
		if err != nil {
			return nil, err
		}
		warm += max(elapsed, time.Microsecond) // an empty launch must come to an end too
		each = max(elapsed/time.Duration(ch.launches), 1)
	}
	ch.launches = int(chainTime/each) + 1
	if each >= graphTime {
		return ch, nil
	}
	// A launch in a graph is shorter than the one on a stream that was just timed, which may be all cost of the launch.
	for {
		ch.launches = min(roundUp(max(ch.launches, sets), sets), mostNodes)
		if err := t.capture(ch); err != nil {
			return nil, err
		}
		elapsed, err := t.time(ch, false)
		if err != nil {
			return nil, err
		}
		if elapsed >= chainTime || ch.launches == mostNodes {
			return ch, nil
		}
		ch.launches = int(float64(ch.launches)*float64(chainTime)/float64(max(elapsed, chainTime/100))) + 1
		if err := ch.graph.Destroy(); err != nil {
			return nil, err
		}
		ch.graph = nil
	}
}

// capture makes a graph of the chain's launches.
func (t *timer) capture(ch *chain) error {
	graph, err := t.stream.Capture(ch.run)
	ch.graph = graph
	return err
}

// run starts the chain's launches.
func (c *chain) run() error {
	if c.graph != nil {
		return c.graph.Launch()
	}
	for range c.launches {
		if err := c.start(c.next); err != nil {
			return err
		}
		c.next = (c.next + 1) % c.sets
	}
	return nil
}

// time is the time of the whole chain on the GPU. Launches of the same kind run before the first event, so that the GPU is busy and warm
// while the chain is put behind it: what is timed has no gap at its start.
func (t *timer) time(c *chain, askPower bool) (time.Duration, error) {
	before := *c
	if c.graph == nil {
		before.launches = 1
	}
	if err := before.run(); err != nil {
		return 0, err
	}
	c.next = before.next
	if err := t.start.Record(t.stream); err != nil {
		return 0, err
	}
	if err := c.run(); err != nil {
		return 0, err
	}
	if err := t.end.Record(t.stream); err != nil {
		return 0, err
	}
	if askPower {
		t.askPower()
	}
	if err := t.end.Wait(); err != nil {
		return 0, err
	}
	return t.end.Since(t.start)
}

func (t *timer) askPower() {
	power, err := t.device.Power()
	if err != nil {
		t.power = "unknown: " + err.Error()
		return
	}
	t.power = power.String()
}
