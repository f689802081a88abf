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
	var space [2 * inPlace]mode
	return coalesced(merge(space[:0], l.leaves()))
}

// coalesced is the layout of merged modes.
func coalesced(modes []mode) Layout {
	if len(modes) == 0 {
		return one
	}
	return ofModes(modes)
}

var one = ofModes([]mode{{shape: 1}})

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
	var space [2 * inPlace]mode
	return coalesced(mergeMoving(space[:0], l.leaves()))
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
	modes := slices.Clone(l.leaves())
	for k := range modes {
		if modes[k].stride == 0 {
			modes[k].shape = 1
		}
	}
	return newLayout(l.profile, modes)
}

// merge appends the modes to merged, joining neighbours and dropping modes of extent 1.
func merge(merged, modes []mode) []mode {
	begin := len(merged)
	for k := range modes {
		m := &modes[k]
		if m.shape == 1 {
			continue
		}
		if last := len(merged) - 1; last >= begin && continues(&merged[last], m) {
			merged[last].shape *= m.shape
			continue
		}
		merged = append(merged, *m)
	}
	return merged
}

// mergeMoving is merge of the modes that move the offset.
func mergeMoving(merged, modes []mode) []mode {
	begin := len(merged)
	for k := range modes {
		m := &modes[k]
		if m.shape == 1 || m.stride == 0 {
			continue
		}
		if last := len(merged) - 1; last >= begin && continues(&merged[last], m) {
			merged[last].shape *= m.shape
			continue
		}
		merged = append(merged, *m)
	}
	return merged
}

// continues tells whether b's first step is where a ends.
func continues(a, b *mode) bool {
	if a.stride == 0 || b.stride == 0 {
		return a.stride == b.stride
	}
	// A product that wraps is no b.stride times anything: b.stride/a.stride would be too large for an extent.
	return a.shape*a.stride == b.stride && b.stride/a.stride == a.shape && a.path == b.path
}

// coalesceX is CuTe's coalesce_x: it merges so that the function stays outside the domain too, where the last mode is
// unbounded. That mode's extent in the result means nothing. It appends to merged.
//
//	(4,1):(1,4) -> 8:1       (4,1):(1,0) -> (4,2):(1,0)
func coalesceX(merged, modes []mode) []mode {
	last := len(modes) - 1
	if last < 0 {
		return append(merged, mode{shape: 1})
	}
	if modes[last].shape != 1 {
		return merge(merged, modes)
	}
	end := modes[last]
	end.shape = 2
	merged = merge(merged, modes[:last])
	if n := len(merged) - 1; n >= 0 && continues(&merged[n], &end) {
		merged[n].shape *= end.shape
		return merged
	}
	return append(merged, end)
}

// ofModes is the flat layout of the modes; one mode gives a leaf. The modes must come from a checked layout.
func ofModes(modes []mode) Layout {
	if len(modes) == 1 {
		return newLayout(leafProfile, modes)
	}
	return newLayout(flatProfile(len(modes)), modes)
}
