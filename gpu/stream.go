package gpu

import (
	"errors"
	"time"
)

// A Stream is a queue of work that runs in order. It is ordered with CopyTo and CopyFrom as well.
type Stream struct {
	device *Device
	handle uintptr
}

// Stream makes a stream.
func (d *Device) Stream() (*Stream, error) {
	// Not CU_STREAM_NON_BLOCKING: the synchronous copies run on the legacy default stream, and only a blocking stream waits for it. A copy from
	// pageable memory may return before its last bytes have arrived.
	const blocking = 0
	s := &Stream{device: d}
	if err := d.driver.check("cuStreamCreate", d.driver.streamCreate(&s.handle, blocking)); err != nil {
		return nil, err
	}
	return s, nil
}

// Wait waits until all work on the stream is done. Its error may be that of a kernel that ran on it.
func (s *Stream) Wait() error {
	return s.device.driver.check("cuStreamSynchronize", s.device.driver.streamSync(s.handle))
}

// Destroy destroys the stream once its work is done.
func (s *Stream) Destroy() error {
	return s.device.driver.check("cuStreamDestroy_v2", s.device.driver.streamDestroy(s.handle))
}

// An Event is a moment in a stream.
type Event struct {
	device *Device
	handle uintptr
}

// Event makes an event that keeps the time.
func (d *Device) Event() (*Event, error) {
	e := &Event{device: d}
	if err := d.driver.check("cuEventCreate", d.driver.eventCreate(&e.handle, 0)); err != nil {
		return nil, err
	}
	return e, nil
}

// Record puts the event behind the work that is on the stream.
func (e *Event) Record(s *Stream) error {
	return e.device.driver.check("cuEventRecord", e.device.driver.eventRecord(e.handle, s.handle))
}

// Wait waits until the event has come.
func (e *Event) Wait() error {
	return e.device.driver.check("cuEventSynchronize", e.device.driver.eventSync(e.handle))
}

// Since is the time on the GPU from start to e, which both must have come. The clock ticks every half microsecond.
func (e *Event) Since(start *Event) (time.Duration, error) {
	var ms float32
	err := e.device.driver.check("cuEventElapsedTime", e.device.driver.eventElapsed(&ms, start.handle, e.handle))
	return time.Duration(float64(ms) * float64(time.Millisecond)), err
}

// Destroy destroys the event.
func (e *Event) Destroy() error {
	return e.device.driver.check("cuEventDestroy_v2", e.device.driver.eventDestroy(e.handle))
}

// A Graph is work that was captured from a stream, to be launched as a whole: on an H200 a launch in a graph costs 0.5 us, on a stream
// 4 us.
type Graph struct {
	stream *Stream
	exec   uintptr
}

// Capture records what the function starts on the stream instead of running it. Kernels must have run once before: loading a module
// is not allowed in a capture. The capture ends also if the function fails.
func (s *Stream) Capture(record func() error) (*Graph, error) {
	// Thread-local: what is unsafe in a capture is refused on this thread, so that a launcher that does it is found out.
	const threadLocal = 1
	d := s.device.driver
	if err := d.check("cuStreamBeginCapture_v2", d.beginCapture(s.handle, threadLocal)); err != nil {
		return nil, err
	}
	recordErr := record()
	var graph uintptr
	err := errors.Join(recordErr, d.check("cuStreamEndCapture", d.endCapture(s.handle, &graph)))
	g := &Graph{stream: s}
	if err == nil {
		err = d.check("cuGraphInstantiateWithFlags", d.graphInstantiate(&g.exec, graph, 0))
	}
	if graph != 0 {
		err = errors.Join(err, d.check("cuGraphDestroy", d.graphDestroy(graph)))
	}
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Launch puts the graph's work on the stream that it was captured from.
func (g *Graph) Launch() error {
	d := g.stream.device.driver
	return d.check("cuGraphLaunch", d.graphLaunch(g.exec, g.stream.handle))
}

// Destroy destroys the graph, after the launches that were started.
func (g *Graph) Destroy() error {
	d := g.stream.device.driver
	return d.check("cuGraphExecDestroy", d.graphExecDestroy(g.exec))
}
