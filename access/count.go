package access

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
	var total, ideal float64
	n := 0
	p := a.evaluate()
	for w := 0; w < p.threads; w += warp {
		lanes := min(warp, p.threads-w)
		for v := 0; v < p.values; v += a.Vector {
			n++
			count := p.wavefronts
			if a.Tensor.Space == Global {
				count = p.sectors
			}
			c, i := count(w, lanes, v)
			total, ideal = total+c, ideal+i
		}
	}
	unit := "sectors"
	if a.Tensor.Space == Shared {
		unit = "wavefronts"
	}
	return Counts{Unit: unit, Value: total / float64(n), Ideal: ideal / float64(n)}
}

func (a *points) sectors(w, lanes, v int) (count, ideal float64) {
	sectors, elems := map[int]bool{}, map[int]bool{}
	for t := w; t < w+lanes; t++ {
		for i := range a.Vector {
			o := a.offset(t, v+i)
			elems[o] = true
			sectors[o*a.Tensor.ElemBytes/sectorBytes] = true
		}
	}
	return float64(len(sectors)), float64(ceilDiv(len(elems)*a.Tensor.ElemBytes, sectorBytes))
}

func (a *points) wavefronts(w, lanes, v int) (count, ideal float64) {
	bytes := a.Vector * a.Tensor.ElemBytes
	phase := min(warp, max(1, warp*bankBytes/bytes))
	for p := 0; p < lanes; p += phase {
		words := map[int]bool{}
		var perBank [banks]int
		most := 0
		for t := w + p; t < w+min(p+phase, lanes); t++ {
			first := a.offset(t, v) * a.Tensor.ElemBytes / bankBytes
			last := (a.offset(t, v)*a.Tensor.ElemBytes + bytes - 1) / bankBytes
			for word := first; word <= last; word++ {
				if !words[word] {
					words[word] = true
					perBank[word%banks]++
					most = max(most, perBank[word%banks])
				}
			}
		}
		count += float64(most)
		ideal += float64(ceilDiv(len(words), banks))
	}
	return count, ideal
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
