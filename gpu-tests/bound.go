package gputests

import "math"

// gamma is n u / (1 - n u) with u = 2^-24, the unit roundoff of fp32: n roundings change a value by at most this factor (Higham, Accuracy
// and Stability of Numerical Algorithms, lemma 3.1). It is +Inf where n u >= 1.
func gamma(n int) float64 {
	const unit = 0x1p-24
	nu := float64(n) * unit
	if nu >= 1 {
		return math.Inf(1)
	}
	return nu / (1 - nu)
}

// gemmBound is how far an fp32 kernel may be from the float64 reference in one element of alpha A B + beta C, whatever the order of its
// additions, with or without fused multiply-adds; k is the length of the sum and magnitude is sum |a| |b|.
//
// A product meets at most k roundings on its way into the sum: its own and k-1 additions, or k fused multiply-adds. (The zeros beyond the edge
// of a tile add no rounding.) Then come the product with alpha and the addition of beta c: k+2. beta c meets two: its own product,
// unless it is fused, and that addition. So
//
//	|got - exact| <= gamma(k+2) |alpha| sum |a| |b| + gamma(2) |beta c|.
//
// There is no term for underflow: the data have no products so small. The last factor is for the reference: it has the same bound with
// 2^-53 in place of 2^-24, as have magnitude and this formula.
func gemmBound(k int, alpha, beta float32, magnitude, c float64) float64 {
	exact := gamma(k+2)*math.Abs(float64(alpha))*magnitude + gamma(2)*math.Abs(float64(beta)*c)
	return exact * (1 + 0x1p-20)
}

// rowNorms are the Euclidean norms of the rows of a row-major matrix. By Cauchy-Schwarz sum |a| |b| is at most the norm of A's row times
// that of B's column: a bound in O(MK + KN + MN) where the sums themselves are out of reach.
func rowNorms(rows, cols int, a []float32) []float64 {
	norms := make([]float64, rows)
	parallel(rows, func(from, to int) {
		for i := from; i < to; i++ {
			var sum float64
			for _, v := range a[i*cols : (i+1)*cols] {
				sum += float64(v) * float64(v)
			}
			norms[i] = math.Sqrt(sum)
		}
	})
	return norms
}

// columnNorms are the Euclidean norms of the columns of a row-major matrix.
func columnNorms(rows, cols int, b []float32) []float64 {
	norms := make([]float64, cols)
	for i := range rows {
		for j, v := range b[i*cols : (i+1)*cols] {
			norms[j] += float64(v) * float64(v)
		}
	}
	for j := range norms {
		norms[j] = math.Sqrt(norms[j])
	}
	return norms
}
