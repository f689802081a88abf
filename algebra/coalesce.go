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
func Coalesce(l Layout) (c Layout) {
	c.coalesce(l.leaves())
	return c
}

// coalesce makes c, which is empty, the flat layout of the modes, merged.
func (c *Layout) coalesce(modes []mode) {
	run := mode{shape: 1}
	for k := range modes {
		m := &modes[k]
		switch {
		case m.shape == 1:
		case continues(&run, m):
			run.shape *= m.shape
		default:
			if run.shape > 1 {
				c.push(run)
			}
			run = *m
		}
	}
	if run.shape > 1 {
		c.push(run)
	}
	c.flat()
}

// flat gives a layout that has been made a flat profile, and the mode 1:0 if it has none.
func (l *Layout) flat() {
	switch l.n {
	case 0:
		*l = one
	case 1:
		l.profile = leafProfile
	default:
		l.profile = flatProfile(l.n)
	}
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
	return Coalesce(FilterZeros(l))
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

// merge joins neighbours and drops modes of extent 1, in place.
func merge(modes []mode) []mode {
	n := 0
	for k := range modes {
		m := &modes[k]
		switch {
		case m.shape == 1:
		case n > 0 && continues(&modes[n-1], m):
			modes[n-1].shape *= m.shape
		default:
			modes[n] = *m
			n++
		}
	}
	return modes[:n]
}

// continues tells whether b's first step is where a ends, along the same basis element. Both are of one checked layout, so
// a's last step fits, and the one beyond it has wrapped exactly when it has the other sign.
func continues(a, b *mode) bool {
	return a.shape*a.stride == b.stride && a.stride^b.stride >= 0 && a.path == b.path
}

// coalesceX is CuTe's coalesce_x: it merges so that the function stays outside the domain too, where the last mode is
// unbounded. That mode's extent in the result means nothing. It merges in place.
//
//	(4,1):(1,4) -> 8:1       (4,1):(1,0) -> (4,2):(1,0)
func coalesceX(modes []mode) []mode {
	if len(modes) == 0 {
		return []mode{{shape: 1}}
	}
	if last := &modes[len(modes)-1]; last.shape == 1 {
		last.shape = 2
	}
	return merge(modes)
}

// ofModes is the flat layout of the modes; one mode gives a leaf. The modes must come from a checked layout.
func ofModes(modes []mode) Layout {
	if len(modes) == 1 {
		return newLayout(leafProfile, modes)
	}
	return newLayout(flatProfile(len(modes)), modes)
}
