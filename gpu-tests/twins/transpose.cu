// The handwritten twin of the transposes: the same tiling, with the index formulas written by hand.
//
//   -DTWIN_NAME=...   the launcher's name
//   -DVEC=1|4         1: tile 32x32, one float at a time; 4: tile 64x64, four at a time
//   -DSMEM=0|1|2      the tile in shared memory: plain, padded by one float a row, or XOR-swizzled
#include "launcher.h"

constexpr int TILE = VEC == 4 ? 64 : 32;
constexpr int THREADS = 256;
constexpr int PAD = SMEM == 1 ? 1 : 0;

__shared__ __align__(16) float tile[TILE][TILE + PAD];

// Where column c of row r lies in its row of the tile. The swizzle keeps the columns of a warp in different banks:
// VEC 1 moves single floats, VEC 4 moves chunks of four, by the number of the rows' group of four.
__device__ __forceinline__ int column(int r, int c)
{
    if (SMEM != 2) return c;
    return VEC == 4 ? c ^ (r / 4 % 8 * 4) : c ^ r;
}

extern "C" __global__ void __launch_bounds__(THREADS, VEC == 4 ? 4 : 8)
TWIN_KERNEL(int M, int N, const float* __restrict__ src, int ld_src, long long batch_stride_src, float* __restrict__ dst, int ld_dst,
            long long batch_stride_dst)
{
    const int tid = threadIdx.x;
    const int m0 = blockIdx.x * TILE; // row tiles are the fastest: neighbouring blocks write neighbouring pieces of the same rows
    const int n0 = blockIdx.y * TILE;
    src += blockIdx.z * batch_stride_src;
    dst += blockIdx.z * batch_stride_dst;
    const bool inside = m0 + TILE <= M && n0 + TILE <= N;

#if VEC == 4
    // In: 16 threads a row, 16 rows at a time. All loads first, then shared memory.
    const int r = tid / 16, c = tid % 16 * 4;
    const float* in = src + (long long)(m0 + r) * ld_src + (n0 + c);
    float4 x[4];
    if (inside) {
#pragma unroll
        for (int j = 0; j < 4; ++j) x[j] = __ldg((const float4*)(in + 16 * j * ld_src));
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
            const float* p = in + 16 * j * ld_src;
            const int m = m0 + r + 16 * j, n = n0 + c;
            x[j].x = m < M && n < N ? __ldg(p) : 0.0f;
            x[j].y = m < M && n + 1 < N ? __ldg(p + 1) : 0.0f;
            x[j].z = m < M && n + 2 < N ? __ldg(p + 2) : 0.0f;
            x[j].w = m < M && n + 3 < N ? __ldg(p + 3) : 0.0f;
        }
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) {
        float* p = &tile[r + 16 * j][column(r + 16 * j, c)];
        if (PAD == 0) {
            *(float4*)p = x[j];
        } else { // rows of 65 floats are not aligned
            p[0] = x[j].x;
            p[1] = x[j].y;
            p[2] = x[j].z;
            p[3] = x[j].w;
        }
    }
    __syncthreads();

    // Out: 8 threads gather columns of 4 rows each, 32 columns at a time, in two halves.
    const int mo = tid % 8 * 4, no = tid / 8;
    float* out = dst + (long long)(n0 + no) * ld_dst + (m0 + mo);
    float y[2][2][4];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
        const float* p = &tile[mo][column(mo, no + 32 * j)]; // rows mo + 32 i + v are of one group of four, modulo 8
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int v = 0; v < 4; ++v) y[j][i][v] = p[(32 * i + v) * (TILE + PAD)];
    }
    if (inside) {
#pragma unroll
        for (int j = 0; j < 2; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i)
                store4(out + 32 * j * ld_dst + 32 * i, y[j][i][0], y[j][i][1], y[j][i][2], y[j][i][3]);
    } else {
#pragma unroll
        for (int j = 0; j < 2; ++j)
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int v = 0; v < 4; ++v)
                    if (m0 + mo + 32 * i + v < M && n0 + no + 32 * j < N) out[32 * j * ld_dst + 32 * i + v] = y[j][i][v];
    }
#else
    // A warp is one row of the tile, on both sides; 8 rows at a time.
    const int tx = tid % 32, ty = tid / 32;
    const float* in = src + (long long)(m0 + ty) * ld_src + (n0 + tx);
    float* out = dst + (long long)(n0 + ty) * ld_dst + (m0 + tx);
    float x[4], y[4];
    if (inside) {
#pragma unroll
        for (int j = 0; j < 4; ++j) x[j] = __ldg(in + 8 * j * ld_src);
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) x[j] = m0 + ty + 8 * j < M && n0 + tx < N ? __ldg(in + 8 * j * ld_src) : 0.0f;
    }
#pragma unroll
    for (int j = 0; j < 4; ++j) tile[ty + 8 * j][column(ty + 8 * j, tx)] = x[j];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; ++j) y[j] = tile[tx][column(tx, ty + 8 * j)];
    if (inside) {
#pragma unroll
        for (int j = 0; j < 4; ++j) out[8 * j * ld_dst] = y[j];
    } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
            if (m0 + tx < M && n0 + ty + 8 * j < N) out[8 * j * ld_dst] = y[j];
    }
#endif
}

extern "C" int TWIN_NAME(long long M, long long N, long long batch, const float* src, long long ld_src, long long batch_stride_src,
                         float* dst, long long ld_dst, long long batch_stride_dst, cudaStream_t stream)
{
    const int status =
        twin::checkTranspose(M, N, batch, src, ld_src, batch_stride_src, dst, ld_dst, batch_stride_dst, TILE, VEC);
    if (status != CUTEGEN_OK || M == 0 || N == 0 || batch == 0) return status;
    const dim3 grid((unsigned)twin::tiles(M, TILE), (unsigned)twin::tiles(N, TILE), (unsigned)batch);
    TWIN_KERNEL<<<grid, THREADS, 0, stream>>>((int)M, (int)N, src, (int)ld_src, batch_stride_src, dst, (int)ld_dst, batch_stride_dst);
    return (int)cudaGetLastError();
}
