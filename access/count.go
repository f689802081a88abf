package access

import (
	"fmt"
	"slices"
)

// Counts are memory transactions per warp-wide instruction, averaged over all instructions and warps of an access.
type Counts struct {
	// Unit is "sectors" (32 bytes of global memory) or "wavefronts" (passes through shared memory's 32 banks of 4 bytes).
	Unit string
	// Value is what the layouts cost; Ideal is the least for the same bytes.
	Value, Ideal float64
}

const (
	warp        = 32
	sectorBytes = 32
	bankBytes   = 4
	banks       = 32
)

// Count predicts the transactions of an access.
//
// Global: the distinct 32-byte sectors that one instruction of a warp touches; ideally the distinct bytes / 32.
//
// Shared: an instruction of 4-, 8- or 16-byte vectors is served in 1, 2 or 4 phases of 32, 16 or 8 lanes. A phase takes as many
// wavefronts as the most distinct 4-byte words that meet in one bank; lanes that read one word share it. Ideally a phase takes one
// wavefront for each 128 distinct bytes, and at least one.
func (a *Access) Count() Counts {
	total, ideal, n := 0, 0, 0
	p := a.evaluate()
	count, unit := p.wavefronts, "wavefronts"
	if a.Tensor.Space == Global {
		count, unit = p.sectors, "sectors"
	}
	for w := 0; w < p.threads; w += warp {
		lanes := min(warp, p.threads-w)
		for v := 0; v < p.values; v += a.Vector {
			n++
			c, i := count(w, lanes, v)
			total, ideal = total+c, ideal+i
		}
	}
	return Counts{Unit: unit, Value: float64(total) / float64(n), Ideal: float64(ideal) / float64(n)}
}

func (a *points) sectors(w, lanes, v int) (count, ideal int) {
	sectors, elems := map[int]bool{}, map[int]bool{}
	for t := w; t < w+lanes; t++ {
		for i := range a.Vector {
			o := a.offset(t, v+i)
			elems[o] = true
			sectors[o*a.Tensor.ElemBytes/sectorBytes] = true
		}
	}
	return len(sectors), ceilDiv(len(elems)*a.Tensor.ElemBytes, sectorBytes)
}

func (a *points) wavefronts(w, lanes, v int) (count, ideal int) {
	bytes := a.Vector * a.Tensor.ElemBytes
	phase := phaseLanes(bytes)
	for p := 0; p < lanes; p += phase {
		var b bankWords
		for t := w + p; t < w+min(p+phase, lanes); t++ {
			b.touch(a.offset(t, v)*a.Tensor.ElemBytes, bytes)
		}
		count += b.most
		ideal += ceilDiv(b.words, banks)
	}
	return count, ideal
}

// phaseLanes is how many lanes are served together, by the bytes of one lane: 32 lanes of up to 4 bytes, 16 of 8, 8 of 16.
func phaseLanes(bytes int) int { return min(warp, max(1, warp*bankBytes/bytes)) }

// bankWords are the distinct words that a phase touches.
type bankWords struct {
	perBank     [banks][]int
	words, most int // how many there are, and how many in the bank that has most
}

// touch adds the words of one lane's bytes.
func (b *bankWords) touch(from, bytes int) {
next:
	for word := from / bankBytes; word <= (from+bytes-1)/bankBytes; word++ {
		bank := word % banks
		for _, w := range b.perBank[bank] {
			if w == word {
				continue next
			}
		}
		b.perBank[bank] = append(b.perBank[bank], word)
		b.words++
		b.most = max(b.most, len(b.perBank[bank]))
	}
}

// clear forgets the words and keeps their space.
func (b *bankWords) clear() {
	for k := range b.perBank {
		b.perBank[k] = b.perBank[k][:0]
	}
	b.words, b.most = 0, 0
}

// Wavefront is one pass through shared memory: the lanes that each bank serves, none or several of one word.
type Wavefront [banks][]int

// Wavefronts are the passes that an access to shared memory needs for one instruction of a warp, that which moves its values from value
// on. Lanes that meet in a bank on different words are in different wavefronts. What does not exist is an error.
func (a *Access) Wavefronts(w, value int) ([]Wavefront, error) {
	p := a.evaluate()
	if a.Tensor.Space != Shared {
		return nil, fmt.Errorf("access %s: %s lies in global memory, which has no banks", a.Name, a.Tensor.Name)
	}
	if w < 0 || w*warp >= p.threads || value < 0 || value >= p.values || value%a.Vector != 0 {
		return nil, fmt.Errorf("access %s: got warp %d and value %d, allowed are warps below %d and values below %d in steps of %d",
			a.Name, w, value, ceilDiv(p.threads, warp), p.values, a.Vector)
	}
	bytes := a.Vector * a.Tensor.ElemBytes
	var all []Wavefront
	end := min(w*warp+warp, p.threads)
	for first := w * warp; first < end; first += phaseLanes(bytes) {
		var b bankWords
		phase := len(all)
		for t := first; t < min(first+phaseLanes(bytes), end); t++ {
			from := p.offset(t, value) * a.Tensor.ElemBytes
			b.touch(from, bytes)
			for len(all) < phase+b.most {
				all = append(all, Wavefront{})
			}
			for word := from / bankBytes; word <= (from+bytes-1)/bankBytes; word++ {
				bank := word % banks
				row := phase + slices.Index(b.perBank[bank], word)
				if lanes := all[row][bank]; len(lanes) == 0 || lanes[len(lanes)-1] != t-w*warp {
					all[row][bank] = append(lanes, t-w*warp)
				}
			}
		}
	}
	return all, nil
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
