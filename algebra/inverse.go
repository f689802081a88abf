package algebra

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
)

// RightInverse is the layout that finds domain positions by offset: l(RightInverse(l)(i)) = i for every i below the
// result's size (CuTe's right_inverse). It reaches as far as l's modes continue each other from offset 0 on.
//
//	(4,2):(2,1)  -> (2,4):(4,1)    offset 1 is at position 4, offset 2 at position 1
//	(4,2):(1,8)  -> 4:1            offset 4 is at no position
//
// A bijection onto 0 to n-1 gives an inverse of size n. No layout finds more where l is injective, up to modes of stride
// 0, and its strides are at least 0. Where offsets meet or strides are negative there may be a longer one, made of parts
// of modes: offset 2 of (3,2):(1,2) is at positions 2 and 3, and beside 3:1 there is (2,2):(1,3). CuTe takes whole modes,
// of equal strides the first one, and so does RightInverse. Basis strides are an error.
func RightInverse(l Layout) (Layout, error) {
	if l.HasBasis() {
		return Layout{}, fmt.Errorf("right inverse of %v: its values are coordinates, allowed are plain strides; use Dot first", l)
	}
	inverse := []mode{{shape: 1}}
	next := 1
	for _, m := range byStride(l) {
		if m.stride == next && m.shape > 1 {
			inverse = append(inverse, mode{shape: m.shape, stride: m.step})
			next *= m.shape
		}
	}
	return Coalesce(ofModes(inverse)), nil
}

// placed is a mode and the number of positions between its neighbours.
type placed struct {
	mode
	step int
}

// byStride lists l's modes, coalesced, by stride.
func byStride(l Layout) []placed {
	var modes []placed
	step := 1
	coalesced := Coalesce(l)
	for _, m := range coalesced.leaves() {
		modes = append(modes, placed{m, step})
		step *= m.shape
	}
	slices.SortStableFunc(modes, func(a, b placed) int { return cmp.Compare(a.stride, b.stride) })
	return modes
}

// moving is byStride without what does not move.
func moving(l Layout) []placed {
	return slices.DeleteFunc(byStride(l), func(m placed) bool { return m.stride == 0 })
}

// LeftInverse is the layout that finds the domain position of an offset: LeftInverse(l)(l(i)) = i for every i below l's
// size (CuTe's left_inverse). Where l has modes of stride 0 several positions share an offset, and it finds the first of
// them: l(LeftInverse(l)(l(i))) = l(i).
//
//	(4,2):(1,8)  -> (8,2):(1,4)    offset 8 is at position 4
//	4:2          -> (2,4):(0,1)    offset 2 is at position 1; so is offset 3, which l does not reach
//	(3,2):(2,3)  -> (2,4):(2,1)    offsets 0 2 4 3 5 7: 3 is 1*2 + 1*1, 4 is 0*2 + 2*1
//	(2,3):(3,2)  -> (2,4):(-1,2)   offsets 0 3 2 5 4 7: 5 is 1*-1 + 2*2
//
// It covers l's cosize, so also offsets in gaps, with some position or none (-1 at offset 1 of the last one).
//
// It is exact: a layout is given whenever there is one, and refused otherwise, with the first offset that no layout finds
// beside those below it. Where each stride divides the next larger one, CuTe's rule gives the layout. Where they do not,
// shapes are tried until some has strides that find every offset. Of several it is then one of the fewest modes, if that is
// found in time, with the smallest extents from the front; modes are joined where the strides allow it, and strides that
// stay free are 0 if they can be.
//
// What the search does is bounded, to some milliseconds. Of more than 2^14 coordinates it looks at those at the beginning
// of each mode, and goes by what it proves of the others. Large strides that do not divide each other may leave it
// undecided, which is an error that says so, or name a later offset than the first.
//
// Two coordinates that meet are an error, and so are negative strides, since no layout begins below 0, basis strides, and
// modes that end beyond 64 bits.
func LeftInverse(l Layout) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("left inverse of %v: %w", l, err)
	}
	modes := moving(l)
	if interleave(modes) {
		if i, j, ok := meeting(l); ok {
			return refuse(fmt.Errorf("it is not injective: %s and %s meet at offset %d", l.position(i), l.position(j), l.At(i)))
		}
	} else {
		if _, err := nested(l); err != nil {
			return refuse(err)
		}
		if len(modes) == 0 {
			return Coalesce(l), nil
		}
		if inverse, ok := nestedInverse(modes); ok {
			return Coalesce(ofModes(inverse)), nil
		}
	}
	r, err := searched(l, modes)
	if err != nil {
		return refuse(err)
	}
	return r, nil
}

// interleave tells whether some mode, all of positive strides, begins below the end of the one before.
func interleave(modes []placed) bool {
	if len(modes) == 0 || modes[0].stride < 0 {
		return false
	}
	end := 1
	for _, m := range modes {
		var ok bool
		if m.path != 0 {
			return false
		}
		if m.stride < end {
			return true
		}
		if end, ok = mul(m.shape, m.stride); !ok {
			return false
		}
	}
	return false
}

// nestedInverse is CuTe's left_inverse, if each stride divides the next.
func nestedInverse(modes []placed) (inverse []mode, ok bool) {
	below, at := 1, 0 // offsets below the mode, and their step
	for _, m := range modes {
		if m.stride%below != 0 {
			return nil, false
		}
		inverse = append(inverse, mode{shape: m.stride / below, stride: at})
		below, at = m.stride, m.step
	}
	return append(inverse, mode{shape: modes[len(modes)-1].shape, stride: at}), true
}

// finds tells whether a layout that finds the points of the modes is proved to find the position of each of their offsets.
func finds(r Layout, modes []placed, beyond int) bool {
	// Steps of whole last digits carry into nothing: what the first one does, all do.
	if last := r.leaves()[r.n-1]; beyond%(r.Size()/last.shape) == 0 {
		return true
	}
	var offsets, positions Layout
	for _, m := range modes {
		offsets.push(m.mode)
		positions.push(mode{shape: m.shape, stride: m.step})
	}
	offsets.flat()
	positions.flat()
	got, err := Composition(r, offsets)
	return err == nil && Coalesce(got).Equal(Coalesce(positions))
}

// searched is the left inverse of l, whose moving modes are given, that a search finds.
func searched(l Layout, modes []placed) (Layout, error) {
	points, beyond := pointsOf(modes)
	likely := search{points: points, work: inverseWork, units: likelyWeights(modes)}
	all := search{points: points, work: inverseWork}
	for _, s := range []*search{&likely, &all} {
		if len(points) == 1 {
			break // so many modes that not even their first steps are looked at
		}
		switch got := s.run(); {
		case got == found:
			r, err := s.layout(l.Cosize())
			if err != nil {
				return Layout{}, err
			}
			if shorter, ok := shortened(r, points, l.Cosize()); ok && finds(shorter, modes, beyond) {
				return shorter, nil
			}
			if finds(r, modes, beyond) {
				return r, nil
			}
		case got == none && s == &all:
			p := lost(points)
			return Layout{}, fmt.Errorf("no layout finds offset %d, of %s, beside those below it", p.offset, l.position(p.position))
		}
	}
	return Layout{}, fmt.Errorf("undecided: its strides do not divide each other, and no layout that finds its offsets is found in time")
}

// shortened is the layout of the fewest modes that finds the points, if that is fewer than r has, and found in time.
func shortened(r Layout, points []point, cosize int) (Layout, bool) {
	work := inverseWork / 8
	for most := 2; most < r.n; most++ {
		s := search{points: points, most: most, work: work}
		switch s.run() {
		case found:
			shorter, err := s.layout(cosize)
			return shorter, err == nil
		case gaveUp:
			return r, false
		}
		work = s.work
	}
	return r, false
}

// lost is the first point that no layout finds beside those before it. None finds them all. Where a search for those before
// it gives up, it is a later one.
func lost(points []point) point {
	from, to := 0, len(points)
	for from < to {
		middle := (from + to) / 2
		s := search{points: points[:middle], work: inverseWork / 16}
		if s.run() == none {
			to = middle
		} else {
			from = middle + 1
		}
	}
	return points[to-1]
}

// point is an offset and the position at which an inverse has to find it.
type point struct{ offset, position int }

// inverseLimit is the largest number of points that a left inverse is searched for.
const inverseLimit = 1 << 14

// pointsOf lists what the modes reach by offset. If that is more than inverseLimit coordinates, it is only what they reach
// with their first steps; beyond is then the common divisor of the steps that go on, and 0 otherwise.
func pointsOf(modes []placed) (points []point, beyond int) {
	extent := inverseLimit
	for !atMost(modes, extent, inverseLimit) {
		extent /= 2
	}
	points = []point{{}}
	for _, m := range modes {
		if m.shape > extent {
			beyond = gcd(beyond, m.stride)
		}
		for c, before := 1, len(points); c < min(m.shape, extent); c++ {
			for _, p := range points[:before] {
				points = append(points, point{p.offset + c*m.stride, p.position + c*m.step})
			}
		}
	}
	slices.SortFunc(points, func(a, b point) int { return cmp.Compare(a.offset, b.offset) })
	return points, beyond
}

// atMost tells whether the modes, cut to an extent, have at most limit coordinates.
func atMost(modes []placed, extent, limit int) bool {
	size := 1
	for _, m := range modes {
		if size *= min(m.shape, extent); size > limit {
			return false
		}
	}
	return true
}

// likelyWeights lists weights that the digits of an inverse often have: strides, ends of modes, and common divisors.
func likelyWeights(modes []placed) []int {
	var units []int
	all := 0
	for k, m := range modes {
		all = gcd(all, m.stride)
		units = append(units, m.stride)
		if end, ok := mul(m.stride, m.shape); ok {
			units = append(units, end)
		}
		for _, o := range modes[:k] {
			units = append(units, gcd(m.stride, o.stride))
		}
	}
	if all > 1 {
		for n := 2; n <= 16; n++ {
			if unit, ok := mul(n, all); ok {
				units = append(units, unit)
			}
		}
	}
	slices.Sort(units)
	return slices.Compact(units)
}

// search looks for a layout that gives each point's position at its offset x. Its value is the sum of strides times
// digits, and the digits are those of x for some weights 1 = w0, w1, w2, ..., each a multiple of the one before:
//
//	x = c0*w0 + c1*w1 + c2*w2 + ...    each but the last digit ends before the next weight
//
// For given weights that is a system of linear equations for the strides, in integers, one for each point. Points below
// the next weight do not know it: their equations stay as they are when a weight is added. So the weights are tried from
// the front, and where the equations up to some offset contradict each other, the next weight is at most that offset.
//
// Three things keep that short. Points between two multiples of a weight have all further digits alike, so what they differ
// by says something about the strides before, whatever weights follow (blocks). A further weight takes no layout away
// except by what it divides, so weights that have been tried stand for their multiples. And where the equations before the
// next weight say that the mode of a weight goes on where the mode before it ends, the layout does without that weight, and
// need not be looked for with it (dispensable).
type search struct {
	points  []point
	weights []int
	units   []int // the weights that are tried, beside the last possible one, increasing; none are all
	work    int   // that may still be done
	most    int   // number of weights, 0 for any
	strides solutions
	row     [maxWeights]int
}

// maxWeights is how many weights fit below 2^63.
const maxWeights = 63

// inverseWork bounds a search to some milliseconds.
const inverseWork = 1 << 20

type outcome int

const (
	found outcome = iota
	none
	gaveUp
)

// run looks for weights, and strides for them.
func (s *search) run() outcome {
	s.weights = []int{1}
	got, _ := s.descend(solutions{n: 1, vectors: []int{0, 1}}, 0)
	return got
}

// descend looks for weights that begin with those of s. The strides of before satisfy the points before index from. Where
// none do, it has looked at next weights up to a limit; those beyond it do without the last of s, if they do at all.
func (s *search) descend(before solutions, from int) (outcome, int) {
	if !s.blocks(&before) {
		return none, math.MaxInt
	}
	now := before.clone()
	limit := 0
	for at := from; limit == 0; at++ {
		if at == len(s.points) {
			s.strides = now
			return found, 0
		}
		free := now.free()
		switch s.meet(&now, at) {
		case gaveUp:
			return gaveUp, 0
		case none:
			limit = s.points[at].offset
		case found:
			if now.free() < free && s.dispensable(now) {
				limit = s.points[at].offset
			}
		}
	}
	if len(s.weights) == s.most {
		return none, limit
	}
	last := s.weights[len(s.weights)-1]
	if s.units == nil && limit/last > s.work {
		return gaveUp, 0
	}
	type interval struct{ weight, limit int }
	var tried []interval
	for w := range s.steps(last, limit) {
		s.work -= 1 + len(tried)
		if s.work < 0 {
			return gaveUp, 0
		}
		if slices.ContainsFunc(tried, func(t interval) bool { return w%t.weight == 0 && w <= t.limit }) {
			continue
		}
		for ; s.points[from].offset < w; from++ {
			if s.meet(&before, from) != found {
				return gaveUp, 0
			}
		}
		s.weights = append(s.weights, w)
		got, until := s.descend(before.grown(), from)
		if got != none {
			return got, 0
		}
		s.weights = s.weights[:len(s.weights)-1]
		// A multiple alone may be one weight less.
		if until == math.MaxInt || until >= 2*w && s.most == 0 {
			tried = append(tried, interval{w, until})
		}
	}
	return none, limit
}

// steps gives the weights to try after last up to limit, increasing.
func (s *search) steps(last, limit int) iter.Seq[int] {
	return func(yield func(int) bool) {
		end := limit / last * last
		if s.units != nil {
			for _, w := range s.units {
				if w > last && w < end && w%last == 0 && !yield(w) {
					return
				}
			}
			if end > last {
				yield(end)
			}
			return
		}
		for w := last; w < end; {
			if w += last; !yield(w) {
				return
			}
		}
	}
}

// meet adds a point's equation.
func (s *search) meet(to *solutions, at int) outcome {
	row := s.row[:len(s.weights)]
	x := s.points[at].offset
	for k, w := range slices.Backward(s.weights) {
		row[k], x = x/w, x%w
	}
	s.work -= len(to.vectors)
	if s.work < 0 {
		return gaveUp
	}
	return to.add(row, s.points[at].position)
}

// blocks adds what all points say about the strides before the last weight: where only the digits before it differ, the
// values differ by these, whatever weights follow. It tells whether there are such strides.
func (s *search) blocks(to *solutions) bool {
	last := len(s.weights) - 1
	if last == 0 {
		return true
	}
	row := s.row[:len(s.weights)]
	row[last] = 0
	s.work -= len(s.points)
	for i := 1; i < len(s.points); i++ {
		p, q := s.points[i-1], s.points[i]
		if p.offset/s.weights[last] != q.offset/s.weights[last] {
			continue
		}
		x, y := p.offset%s.weights[last], q.offset%s.weights[last]
		for k, w := range slices.Backward(s.weights[:last]) {
			row[k] = y/w - x/w
			x, y = x%w, y%w
		}
		s.work -= len(to.vectors)
		switch to.add(row, q.position-p.position) {
		case none:
			return false
		case gaveUp:
			s.work = -1
			return true
		}
	}
	return true
}

// dispensable tells whether the last weight's mode goes on where the one before ends.
func (s *search) dispensable(now solutions) bool {
	last := len(s.weights) - 1
	if last == 0 {
		return false
	}
	times := s.weights[last] / s.weights[last-1]
	for i := range len(now.vectors) / now.n {
		v := now.vector(i)
		if ends, ok := mul(times, v[last-1]); !ok || ends != v[last] {
			return false
		}
	}
	return true
}

// layout is the layout that has been found, up to a cosize.
func (s *search) layout(cosize int) (Layout, error) {
	last := len(s.weights) - 1
	row := make([]int, last+1)
	for k := range last {
		clear(row)
		row[k], row[k+1] = -s.weights[k+1]/s.weights[k], 1
		s.strides = s.strides.with(row)
	}
	for k := range row {
		clear(row)
		row[k] = 1
		s.strides = s.strides.with(row)
	}
	modes := make([]mode, last+1)
	for k, stride := range s.strides.vector(0) {
		extent := (cosize-1)/s.weights[last] + 1
		if k < last {
			extent = s.weights[k+1] / s.weights[k]
		}
		modes[k] = mode{shape: extent, stride: stride}
	}
	l, err := checked(flatProfile(len(modes)), modes)
	return Coalesce(l), err
}

// solutions are the integer vectors that solve linear equations: the first vector plus any sum of multiples of the others,
// which are independent.
type solutions struct {
	n       int // length of a vector
	vectors []int
}

func (s solutions) vector(i int) []int { return s.vectors[i*s.n : (i+1)*s.n] }

// free is the number of independent vectors.
func (s solutions) free() int { return len(s.vectors)/s.n - 1 }

func (s solutions) clone() solutions { return solutions{s.n, slices.Clone(s.vectors)} }

// grown has one more unknown, of which the equations say nothing.
func (s solutions) grown() solutions {
	g := solutions{n: s.n + 1, vectors: make([]int, 0, len(s.vectors)+len(s.vectors)/s.n+s.n+1)}
	for i := range len(s.vectors) / s.n {
		g.vectors = append(append(g.vectors, s.vector(i)...), 0)
	}
	g.vectors = append(g.vectors, make([]int, g.n)...)
	g.vectors[len(g.vectors)-1] = 1
	return g
}

// with is the solutions that also solve row*x = 0 if there are any, and s otherwise.
func (s solutions) with(row []int) solutions {
	if fewer := s.clone(); fewer.add(row, 0) == found {
		return fewer
	}
	return s
}

// add adds the equation row*x = want. It gives up beyond 64 bits.
func (s *solutions) add(row []int, want int) outcome {
	value, ok := dot(row, s.vector(0))
	miss, ok2 := add(want, -value)
	if !ok || !ok2 {
		return gaveUp
	}
	// Of the independent vectors one is to change row*x, by their common divisor, and the others are not (Euclid).
	by, pivot := 0, 0
	for i := 1; i <= s.free(); i++ {
		change, ok := dot(row, s.vector(i))
		if !ok {
			return gaveUp
		}
		if by == 0 {
			by, pivot = change, i
			continue
		}
		for change != 0 {
			if !addTimes(s.vector(pivot), -(by / change), s.vector(i)) {
				return gaveUp
			}
			by, change = change, by%change
			for k := range s.n {
				s.vector(pivot)[k], s.vector(i)[k] = s.vector(i)[k], s.vector(pivot)[k]
			}
		}
	}
	if by == 0 {
		if miss != 0 {
			return none
		}
		return found
	}
	if miss%by != 0 {
		return none
	}
	if !addTimes(s.vector(0), miss/by, s.vector(pivot)) {
		return gaveUp
	}
	copy(s.vector(pivot), s.vector(s.free()))
	s.vectors = s.vectors[:len(s.vectors)-s.n]
	return found
}

// dot is the sum of products, and whether it fits, its opposite too.
func dot(a, b []int) (sum int, ok bool) {
	for k := range a {
		product, fits := mul(a[k], b[k])
		if sum, ok = add(sum, product); !ok || !fits {
			return 0, false
		}
	}
	return sum, sum != math.MinInt
}

// addTimes adds n times b to a, and tells whether that fits.
func addTimes(a []int, n int, b []int) bool {
	for k := range a {
		product, fits := mul(n, b[k])
		sum, ok := add(a[k], product)
		if !ok || !fits {
			return false
		}
		a[k] = sum
	}
	return true
}

// Nullspace lists the positions of l at value 0, in increasing order (CuTe's nullspace): l(Nullspace(l)(i)) = 0, and no
// others are.
//
//	(2,2,3):(1,0,2) -> 2:2            positions 0 and 2
//	(7,5,16):(0,0,0) -> (7,5,16):(1,7,35)
//	(2,2):(1,-1) -> 2:3               positions 0 and 3: 1 and -1 cancel
//
// These are the modes of stride 0, so an offset of l is reached from as many positions as the result has, unless strides of
// both signs cancel. Where they may, every position is looked at, up to 2^18: more are an error, and so is a position with
// which no layout lists the zeros, such as 6 of the zeros 0 5 6 of (2,2,2):(1,1,-1).
func Nullspace(l Layout) (Layout, error) {
	null := still(l.leaves())
	if !slices.ContainsFunc(groups(l.leaves()), func(g group) bool { return cancel(g.modes) }) {
		return null, nil
	}
	if l.Size() > lookLimit {
		return Layout{}, fmt.Errorf("nullspace of %v: strides of both signs, allowed are at most %d coordinates", l, lookLimit)
	}
	of := newValues(l.leaves())
	value := make([]int, len(of.paths))
	var zeros []int
	for i := range l.Size() {
		if of.at(i, value) && !slices.ContainsFunc(value, func(n int) bool { return n != 0 }) {
			zeros = append(zeros, i)
		}
	}
	if null.Size() == len(zeros) {
		return null, nil
	}
	list := factor{extent: len(zeros), values: []int{0}, block: 1, stride: make([]int, 1)}
	positions := &values{paths: []path{0}}
	for i, at := range zeros[1:] {
		if why := list.take([]int{at}, positions); why != "" {
			return Layout{}, fmt.Errorf("nullspace of %v has no layout: zero %d of %d is %s, %s", l, i+1, len(zeros), l.position(at), why)
		}
	}
	return ofModes(list.finish(positions)), nil
}

// cancel tells whether modes may come back to 0: their strides have both signs, and some stride is within the reach of the
// shorter ones together.
func cancel(modes []mode) bool {
	if sameSign(modes) {
		return false
	}
	sorted := slices.Clone(modes)
	slices.SortFunc(sorted, func(a, b mode) int { return cmp.Compare(abs(a.stride), abs(b.stride)) })
	reach := 0
	for _, m := range sorted {
		if m.stride != 0 && m.shape > 1 {
			if abs(m.stride) <= reach {
				return true
			}
			reach += (m.shape - 1) * abs(m.stride)
		}
	}
	return false
}

// still lists the positions that the modes of stride 0 lead to.
func still(modes []mode) Layout {
	var still []mode
	step := 1
	for _, m := range modes {
		if m.stride == 0 {
			stride := step
			if m.shape == 1 {
				stride = 0
			}
			still = append(still, mode{shape: m.shape, stride: stride})
		}
		step *= m.shape
	}
	if len(still) == 0 {
		return one
	}
	return ofModes(still)
}

// CoordOf is the coordinate of l at an offset (CuTe's idx2crd with strides, and get_hier_coord). A mode of stride 0 has
// no part in the offset: its coordinate is 0. An offset that no coordinate has is an error.
//
//	CoordOf((4,(2,3)):(6,(1,2)), 17) = (2,(1,2))
//
// It divides by each stride, which finds the coordinate where the strides nest; where they do not, it looks for the
// first one.
func CoordOf(l Layout, offset int) (Tuple, error) {
	if l.HasBasis() {
		return Tuple{}, fmt.Errorf("coordinate of offset %d in %v: its values are coordinates, allowed are plain strides", offset, l)
	}
	coord := make([]Tuple, len(l.leaves()))
	sum := 0
	for k, m := range l.leaves() {
		digit := 0
		if m.stride != 0 && m.shape > 1 {
			digit = offset / m.stride % m.shape
		}
		if digit < 0 {
			digit = 0
		}
		coord[k] = Int(digit)
		sum += digit * m.stride
	}
	if sum == offset {
		return unflatten(coord, l.Shape()), nil
	}
	if l.Size() > lookLimit {
		return Tuple{}, fmt.Errorf("coordinate of offset %d in %v: its strides do not nest, and it has more than %d coordinates",
			offset, l, lookLimit)
	}
	for i := range l.Size() {
		if l.At(i) == offset {
			return l.Coord(i), nil
		}
	}
	return Tuple{}, fmt.Errorf("coordinate of offset %d in %v: no coordinate has it", offset, l)
}
