// What the launchers of the twins check: the ABI of docs/architecture.md, as the derived kernels check it.
#pragma once

#define CUTEGEN_OK 0
#define CUTEGEN_NULL_POINTER -1
#define CUTEGEN_NEGATIVE_SIZE -2
#define CUTEGEN_LEADING_DIMENSION -3
#define CUTEGEN_MISALIGNED -4
#define CUTEGEN_GRID_LIMIT -5
#define CUTEGEN_REACH -6
#define CUTEGEN_OVERLAP -7

// NAME_kernel of a macro NAME.
#define TWIN_PASTE(a, b) a##b
#define TWIN_KERNEL_OF(name) TWIN_PASTE(name, _kernel)
#define TWIN_KERNEL TWIN_KERNEL_OF(TWIN_NAME)

namespace twin {

constexpr long long kInt = 2147483647; // the kernels count in int
constexpr long long kGridYZ = 65535;

constexpr long long tiles(long long extent, int tile) { return (extent + tile - 1) / tile; }

// The last tile ends past the extent: the coordinates in it are ints too.
constexpr bool extentReaches(long long extent, int tile) { return extent <= kInt + 1 - 2 * tile; }

// An offset inside rows x columns elements, ld apart, is an int.
constexpr bool tileReaches(int rows, int columns, long long ld) { return rows * ld + columns <= kInt; }

inline bool aligned(const float* p, int vec) { return (long long)p % (4 * vec) == 0; }

// Tiles of tile x tile, moved in vectors of vec floats. An empty problem is CUTEGEN_OK: the launcher still has to look for it.
inline int checkTranspose(long long M, long long N, long long batch, const float* src, long long ld_src, long long batch_stride_src,
                          const float* dst, long long ld_dst, long long batch_stride_dst, int tile, int vec)
{
    if (M < 0 || N < 0 || batch < 0 || ld_src < 0 || ld_dst < 0 || batch_stride_src < 0 || batch_stride_dst < 0)
        return CUTEGEN_NEGATIVE_SIZE;
    if (ld_src < 1 || ld_src < N || ld_dst < 1 || ld_dst < M) return CUTEGEN_LEADING_DIMENSION;
    if (M == 0 || N == 0 || batch == 0) return CUTEGEN_OK;
    if (src == nullptr || dst == nullptr) return CUTEGEN_NULL_POINTER;
    if (!aligned(src, vec) || !aligned(dst, vec) || ld_src % vec != 0 || ld_dst % vec != 0) return CUTEGEN_MISALIGNED;
    if (batch > 1 && (batch_stride_src % vec != 0 || batch_stride_dst % vec != 0)) return CUTEGEN_MISALIGNED;
    if (!extentReaches(M, tile) || !extentReaches(N, tile)) return CUTEGEN_REACH;
    if (!tileReaches(tile, tile, ld_src) || !tileReaches(tile, tile, ld_dst)) return CUTEGEN_REACH;
    if (tiles(N, tile) > kGridYZ || batch > kGridYZ) return CUTEGEN_GRID_LIMIT;
    if (batch > 1 && batch_stride_dst < (N - 1) * ld_dst + M) return CUTEGEN_OVERLAP;
    return CUTEGEN_OK;
}

// Tiles of bm x bn of C and of bk along k, moved in vectors of vec floats; ta and tb: stored transposed.
inline int checkSgemm(long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B, long long ldb,
                      const float* C, long long ldc, bool ta, bool tb, int bm, int bn, int bk, int vec)
{
    if (M < 0 || N < 0 || K < 0 || lda < 0 || ldb < 0 || ldc < 0) return CUTEGEN_NEGATIVE_SIZE;
    if (lda < 1 || lda < (ta ? M : K) || ldb < 1 || ldb < (tb ? K : N) || ldc < 1 || ldc < N) return CUTEGEN_LEADING_DIMENSION;
    if (M == 0 || N == 0) return CUTEGEN_OK;
    const bool reads = K > 0 && alpha != 0.0f;
    if (C == nullptr || (reads && (A == nullptr || B == nullptr))) return CUTEGEN_NULL_POINTER;
    if (reads && (!aligned(A, vec) || lda % vec != 0 || !aligned(B, vec) || ldb % vec != 0)) return CUTEGEN_MISALIGNED;
    if (!aligned(C, vec) || ldc % vec != 0) return CUTEGEN_MISALIGNED;
    if (!extentReaches(M, bm) || !extentReaches(N, bn) || !extentReaches(K, bk)) return CUTEGEN_REACH;
    if (ta ? !tileReaches(bk, bm, lda) : !tileReaches(bm, bk, lda)) return CUTEGEN_REACH;
    if (tb ? !tileReaches(bn, bk, ldb) : !tileReaches(bk, bn, ldb)) return CUTEGEN_REACH;
    if (!tileReaches(bm, bn, ldc)) return CUTEGEN_REACH;
    if (tiles(N, bn) > kGridYZ) return CUTEGEN_GRID_LIMIT;
    return CUTEGEN_OK;
}

} // namespace twin

// Written as PTX: nvcc splits a float4 that is gathered from registers into four stores.
__device__ __forceinline__ void store4(float* p, float x, float y, float z, float w)
{
    asm volatile("st.global.v4.f32 [%0], { %1, %2, %3, %4 };" ::"l"(p), "f"(x), "f"(y), "f"(z), "f"(w) : "memory");
}
