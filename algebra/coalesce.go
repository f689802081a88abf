package algebra

import (
	"fmt"
	"slices"
)

// Coalesce merges modes that step on evenly, without changing the function on the domain (CuTe's coalesce). The result
// has depth at most 1 and is unique: two layouts of one size are the same function exactly when their coalesced texts
// are equal.
//
//	(2,(1,6)):(1,(6,2)) -> 12:1
//	(2,4):(4,1)         -> (2,4):(4,1)
func Coalesce(l Layout) Layout {
	flat := merge(l.flat)
	if len(flat) == 0 || len(flat) == 1 && flat[0].shape == 1 {
		flat = []mode{{shape: 1}}
	}
	return ofModes(flat)
}

// CoalesceModes coalesces at the leaves of the profile, so that the rank stays (CuTe's coalesce with a target profile).
// Modes beyond the profile stay as they are; a profile of larger rank is an error.
//
//	CoalesceModes((2,(1,6)):(1,(6,2)), (1,1)) = (2,6):(1,2)
func CoalesceModes(l Layout, profile Tuple) (Layout, error) {
	return atLeaves("coalesce", Coalesce, l, profile)
}

// atLeaves applies op to the modes at the leaves of the profile.
func atLeaves(name string, op func(Layout) Layout, l Layout, profile Tuple) (Layout, error) {
	if profile.IsLeaf() {
		return op(l), nil
	}
	modes := l.Modes()
	if len(profile.elems) > len(modes) {
		return Layout{}, fmt.Errorf("%s %v by the profile %v: rank %d, allowed is at most %d",
			name, l, profile, len(profile.elems), len(modes))
	}
	for i, p := range profile.elems {
		var err error
		if modes[i], err = atLeaves(name, op, modes[i], p); err != nil {
			return Layout{}, err
		}
	}
	return Concat(modes...)
}

// Filter drops the modes that do not move the offset, of stride 0 or extent 1, and coalesces the rest (CuTe's filter).
//
//	(2,4,3):(0,1,4) -> 12:1
func Filter(l Layout) Layout {
	moving := make([]mode, 0, len(l.flat))
	for _, m := range l.flat {
		if m.stride != 0 {
			moving = append(moving, m)
		}
	}
	return Coalesce(ofModes(moving))
}

// FilterModes filters at the leaves of the profile, so that the rank stays (CuTe's filter with a target profile). Modes
// beyond the profile stay as they are; a profile of larger rank is an error.
//
//	FilterModes((2,(4,3)):(0,(1,0)), (1,1)) = (1,4):(0,1)
func FilterModes(l Layout, profile Tuple) (Layout, error) {
	return atLeaves("filter", Filter, l, profile)
}

// FilterZeros gives modes of stride 0 the extent 1 (CuTe's filter_zeros): the rank stays, each element of the image
// comes from fewer coordinates.
//
//	(2,4,3):(0,1,4) -> (1,4,3):(0,1,4)
func FilterZeros(l Layout) Layout {
	flat := slices.Clone(l.flat)
	for k := range flat {
		if flat[k].stride == 0 {
			flat[k].shape = 1
		}
	}
	next := 0
	shape := l.shape.mapLeaves(func(Tuple) Tuple {
		next++
		return Int(flat[next-1].shape)
	})
	return Layout{shape, l.stride, flat}
}

// merge joins neighbours from the back, dropping modes of extent 1. A single mode of extent 1 stays.
func merge(flat []mode) []mode {
	var merged []mode // back to front
	for _, m := range slices.Backward(flat) {
		last := len(merged) - 1
		switch {
		case last >= 0 && m.shape == 1:
		case last == 0 && merged[0].shape == 1:
			merged[0] = m
		case last >= 0 && continues(m, merged[last]):
			merged[last] = mode{m.shape * merged[last].shape, m.stride, m.path}
		default:
			merged = append(merged, m)
		}
	}
	slices.Reverse(merged)
	return merged
}

// continues tells whether b's first step is where a ends.
func continues(a, b mode) bool {
	if a.stride == 0 || b.stride == 0 {
		return a.stride == 0 && b.stride == 0
	}
	end, ok := mul(a.shape, a.stride)
	return ok && end == b.stride && slices.Equal(a.path, b.path)
}

// coalesceX is CuTe's coalesce_x: it merges so that the function stays outside the domain too, where the last mode is
// unbounded. That mode's extent in the result means nothing.
//
//	(4,1):(1,4) -> 8:1       (4,1):(1,0) -> (4,2):(1,0)
func coalesceX(l Layout) []mode {
	flat := slices.Clone(l.flat)
	if len(flat) == 0 {
		return []mode{{shape: 1}}
	}
	if last := &flat[len(flat)-1]; last.shape == 1 {
		last.shape = 2
	}
	return merge(flat)
}

// ofModes is the flat layout of the modes; one mode gives a leaf. The modes must come from a checked layout.
func ofModes(flat []mode) Layout {
	if len(flat) == 1 {
		return Layout{Int(flat[0].shape), flat[0].strideLeaf(), flat}
	}
	shapes, strides := make([]Tuple, len(flat)), make([]Tuple, len(flat))
	for i, m := range flat {
		shapes[i], strides[i] = Int(m.shape), m.strideLeaf()
	}
	return Layout{Tuple{elems: shapes}, Tuple{elems: strides}, flat}
}
