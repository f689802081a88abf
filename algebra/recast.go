package algebra

import "fmt"

// Upcast is l in words of n elements (CuTe's upcast): the word that holds the element, Upcast(l, n)(c') = floor(l(c)/n)
// where c' counts words along the modes that step inside a word, and is c in all others.
//
//	Upcast((8,3):(1,16), 4) = (2,3):(1,4)     8 elements in a row are 2 words
//	Upcast((2,8):(4,8), 4)  = (2,8):(1,2)
//
// A stride must divide n or be a multiple of it. Words that l begins but does not fill count too: Upcast(6:1, 4) is 2:1,
// which needs a guard. Modes that together step over the end of a word, such as (2,2):(1,1) by 2, are an error; so are
// basis strides, and negative strides inside a word.
func Upcast(l Layout, n int) (Layout, error) { return upcast(l, n, 0) }

// upcast is Upcast of l moved by low elements, fewer than n.
func upcast(l Layout, n, low int) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("upcast of %v by %d: %w", l, n, err)
	}
	if n < 1 {
		return refuse(fmt.Errorf("allowed are words of at least 1 element"))
	}
	if l.HasBasis() {
		return refuse(fmt.Errorf("its values are coordinates, allowed are plain strides"))
	}
	shapes, strides := make([]Tuple, len(l.leaves())), make([]Tuple, len(l.leaves()))
	inside := make([]Tuple, len(l.leaves())) // the last coordinate in the word
	for k, m := range l.leaves() {
		shapes[k], strides[k], inside[k] = Int(m.shape), Int(m.stride/n), Int(0)
		if m.stride%n == 0 {
			continue
		}
		if m.stride < 0 || n%m.stride != 0 {
			return refuse(fmt.Errorf("stride %d, allowed are multiples of %d and its divisors", m.stride, n))
		}
		steps := n / m.stride
		shapes[k], strides[k], inside[k] = Int(ceil(m.shape, steps)), Int(1), Int(min(m.shape, steps)-1)
		var ok bool
		if low, ok = add(low, inside[k].value*m.stride); !ok {
			return refuse(fmt.Errorf("offset in the word: %w", errOverflow))
		}
	}
	if low >= n {
		return refuse(fmt.Errorf("coordinate %v is %d elements behind the begin of a word of %d", unflatten(inside, l.Shape()), low, n))
	}
	return MakeLayout(unflatten(shapes, l.Shape()), unflatten(strides, l.Shape()))
}

// Downcast is l with each element cut into n (CuTe's downcast): the parts n*l(c) to n*l(c)+n-1, the part counting
// fastest in the mode of stride 1, which is n times as long.
//
//	Downcast((2,3):(1,4), 4) = (8,3):(1,16)
//
// A layout without a stride of 1 is an error, for its parts have no mode to be in; so are a stride of -1 and basis
// strides. If several modes have stride 1, the first one of extent above 1 gets the parts. (CuTe gives them to each,
// which makes them n times too many.)
func Downcast(l Layout, n int) (Layout, error) {
	refuse := func(err error) (Layout, error) {
		return Layout{}, fmt.Errorf("downcast of %v by %d: %w", l, n, err)
	}
	if n < 1 {
		return refuse(fmt.Errorf("allowed are at least 1 part"))
	}
	if l.HasBasis() {
		return refuse(fmt.Errorf("its values are coordinates, allowed are plain strides"))
	}
	row := -1
	shapes, strides := make([]Tuple, len(l.leaves())), make([]Tuple, len(l.leaves()))
	for k, m := range l.leaves() {
		stride, ok := mul(m.stride, n)
		if !ok {
			return refuse(fmt.Errorf("stride %d: %w", m.stride, errOverflow))
		}
		shapes[k], strides[k] = Int(m.shape), Int(stride)
		if m.stride == 1 && (row < 0 || l.leaves()[row].shape == 1 && m.shape > 1) {
			row = k
		}
	}
	if row < 0 {
		return refuse(fmt.Errorf("no stride is 1, allowed are layouts with adjacent elements"))
	}
	parts, ok := mul(l.leaves()[row].shape, n)
	if !ok {
		return refuse(fmt.Errorf("size %w", errOverflow))
	}
	shapes[row], strides[row] = Int(parts), Int(1)
	return MakeLayout(unflatten(shapes, l.Shape()), unflatten(strides, l.Shape()))
}

// Recast is l, of elements of oldBits, as the same memory in elements of newBits (CuTe's recast_layout): Upcast by
// new/old in lowest terms, then Downcast.
//
//	Recast((8,3):(1,8), 16, 32) = (4,3):(1,4)
//	Recast((8,3):(1,8), 16, 8)  = (16,3):(1,16)
//	Recast((8,3):(1,8), 32, 48) is an error: words of 3 do not fit 8 elements apart
func Recast(l Layout, oldBits, newBits int) (Layout, error) {
	if oldBits < 1 || newBits < 1 {
		return Layout{}, fmt.Errorf("recast of %v from %d to %d bits: allowed are at least 1", l, oldBits, newBits)
	}
	g := gcd(oldBits, newBits)
	if newBits > g {
		var err error
		if l, err = Upcast(l, newBits/g); err != nil {
			return Layout{}, err
		}
	}
	if oldBits > g {
		return Downcast(l, oldBits/g)
	}
	return l, nil
}
