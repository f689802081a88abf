// The handwritten twin of the SGEMMs: the same tiling, with the index formulas written by hand.
//
//   -DTWIN_NAME=...          the launcher's name
//   -DTA=0|1 -DTB=0|1        1: stored transposed
//   -DVEC=1|4                floats that one access of global memory moves
#include "launcher.h"

constexpr int BM = 128, BN = 128, BK = 8;
constexpr int THREADS = 256;
constexpr int TM = 8, TN = 8;                 // a thread's accumulators: 2 x 2 pieces of 4 x 4, 64 apart
constexpr int COPY = BM * BK / THREADS;       // floats of each operand that a thread copies
constexpr bool A_ALONG_K = !TA;               // A is M x K: its rows are contiguous along k
constexpr bool B_ALONG_K = TB;                // B is stored N x K
constexpr int PAD_A = A_ALONG_K ? 4 : 0;      // a copy along k writes columns of shared memory: padding spreads them over the banks
constexpr int PAD_B = B_ALONG_K ? 4 : 0;

static_assert(BM == BN, "one copy for both operands");
static_assert(COPY == 4, "a thread copies one vector");

// The thread's share of a tile of 128 rows (m of A, n of B) and 8 k: COPY floats of which float v is the tile's element e, counted
// along the operand's contiguous direction. VEC 4: one vector; VEC 1: neighbouring threads copy neighbouring floats.
template <bool ALONG_K> struct Share {
    int row, k;

    __device__ __forceinline__ explicit Share(int tid)
    {
        const int e = tid * VEC;
        row = ALONG_K ? e / BK : e % BM;
        k = ALONG_K ? e % BK : e / BM;
    }
    static __device__ __forceinline__ constexpr int rowStep(int v)
    {
        if (VEC == 4) return ALONG_K ? 0 : v;
        return ALONG_K ? v * (THREADS / BK) : 0;
    }
    static __device__ __forceinline__ constexpr int kStep(int v)
    {
        if (VEC == 4) return ALONG_K ? v : 0;
        return ALONG_K ? 0 : v * (THREADS / BM);
    }

    // Global memory to registers; p is the share's first element, ld apart from its neighbour across the contiguous direction.
    __device__ __forceinline__ void load(float (&r)[COPY], const float* p, int ld) const
    {
        if (VEC == 4) {
            const float4 x = __ldg((const float4*)p);
            r[0] = x.x;
            r[1] = x.y;
            r[2] = x.z;
            r[3] = x.w;
        } else {
#pragma unroll
            for (int v = 0; v < COPY; ++v) r[v] = __ldg(p + (ALONG_K ? rowStep(v) : kStep(v)) * ld);
        }
    }
    // The same at the edge, zero outside: `rows` and `ks` are what is left of the matrix from the tile's first element.
    __device__ __forceinline__ void loadEdge(float (&r)[COPY], const float* p, int ld, int rows, int ks) const
    {
#pragma unroll
        for (int v = 0; v < COPY; ++v) {
            const int offset = ALONG_K ? rowStep(v) * ld + kStep(v) : kStep(v) * ld + rowStep(v);
            r[v] = row + rowStep(v) < rows && k + kStep(v) < ks ? __ldg(p + offset) : 0.0f;
        }
    }
    // Registers to shared memory, where rows are contiguous.
    template <int WIDTH> __device__ __forceinline__ void store(float (&s)[BK][WIDTH], const float (&r)[COPY]) const
    {
        if (VEC == 4 && !ALONG_K) {
            *(float4*)&s[k][row] = make_float4(r[0], r[1], r[2], r[3]);
        } else {
#pragma unroll
            for (int v = 0; v < COPY; ++v) s[k + kStep(v)][row + rowStep(v)] = r[v];
        }
    }
};

__device__ __forceinline__ void load4(float* r, const float* s)
{
    const float4 x = *(const float4*)s;
    r[0] = x.x;
    r[1] = x.y;
    r[2] = x.z;
    r[3] = x.w;
}

// Four neighbouring floats of C.
__device__ __forceinline__ void store(float* p, const float* r)
{
    if (VEC == 4) {
        store4(p, r[0], r[1], r[2], r[3]);
    } else {
#pragma unroll
        for (int v = 0; v < 4; ++v) p[v] = r[v];
    }
}

// p = beta p + r
__device__ __forceinline__ void update(float* p, float beta, const float* r)
{
    float c[4];
    if (VEC == 4) {
        load4(c, p);
    } else {
#pragma unroll
        for (int v = 0; v < 4; ++v) c[v] = p[v];
    }
#pragma unroll
    for (int v = 0; v < 4; ++v) c[v] = fmaf(beta, c[v], r[v]);
    store(p, c);
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
TWIN_KERNEL(int M, int N, int K, float alpha, const float* __restrict__ A, int lda, const float* __restrict__ B, int ldb, float beta,
            float* __restrict__ C, int ldc)
{
    __shared__ __align__(16) float sA[2][BK][BM + PAD_A];
    __shared__ __align__(16) float sB[2][BK][BN + PAD_B];

    const int tid = threadIdx.x, lane = tid % 32, warp = tid / 32;
    const int m0 = blockIdx.x * BM, n0 = blockIdx.y * BN;
    // Warps 4 x 2 of lanes 4 x 8; the thread's pieces start at 4 row and 4 col.
    const int row = warp / 2 * 4 + lane / 8;
    const int col = warp % 2 * 8 + lane % 8;

    const Share<A_ALONG_K> shareA(tid);
    const Share<B_ALONG_K> shareB(tid);
    const float* gA = A_ALONG_K ? A + (long long)(m0 + shareA.row) * lda + shareA.k : A + (long long)shareA.k * lda + (m0 + shareA.row);
    const float* gB = B_ALONG_K ? B + (long long)(n0 + shareB.row) * ldb + shareB.k : B + (long long)shareB.k * ldb + (n0 + shareB.row);

    float rA[COPY], rB[COPY];
    float acc[TM][TN] = {};

    const bool inside = m0 + BM <= M && n0 + BN <= N;

    const auto load = [&](int k0) {
        if (inside && k0 + BK <= K) {
            shareA.load(rA, gA, lda);
            shareB.load(rB, gB, ldb);
        } else {
            shareA.loadEdge(rA, gA, lda, M - m0, K - k0);
            shareB.loadEdge(rB, gB, ldb, N - n0, K - k0);
        }
        gA += A_ALONG_K ? BK : BK * lda;
        gB += B_ALONG_K ? BK : BK * ldb;
    };

    if (K > 0) {
        load(0);
        shareA.store(sA[0], rA);
        shareB.store(sB[0], rB);
    }
    __syncthreads();

#pragma unroll 1
    for (int k0 = 0, stage = 0; k0 < K; k0 += BK, stage ^= 1) {
        const bool more = k0 + BK < K;
        if (more) load(k0 + BK); // on its way while this tile is computed

#pragma unroll
        for (int k = 0; k < BK; ++k) {
            float a[TM], b[TN];
            load4(&a[0], &sA[stage][k][row * 4]);
            load4(&a[4], &sA[stage][k][row * 4 + 64]);
            load4(&b[0], &sB[stage][k][col * 4]);
            load4(&b[4], &sB[stage][k][col * 4 + 64]);
            // Row by row, there and back: neighbouring FFMAs share an operand.
#pragma unroll
            for (int i = 0; i < TM; ++i)
#pragma unroll
                for (int j = 0; j < TN; ++j) {
                    const int js = i % 2 == 0 ? j : TN - 1 - j;
                    acc[i][js] = fmaf(a[i], b[js], acc[i][js]);
                }
        }

        if (more) {
            shareA.store(sA[stage ^ 1], rA);
            shareB.store(sB[stage ^ 1], rB);
        }
        __syncthreads();
    }

    const int m = m0 + row * 4, n = n0 + col * 4;
    float* gC = C + (long long)m * ldc + n;
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) acc[i][j] *= alpha;

    // Accumulator (i,j) is at row i / 4 * 64 + i % 4 and column j / 4 * 64 + j % 4 of the thread's share.
    if (inside && beta == 0.0f) {
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; j += 4) store(gC + (i / 4 * 64 + i % 4) * ldc + j / 4 * 64, &acc[i][j]);
    } else if (inside) {
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; j += 4) update(gC + (i / 4 * 64 + i % 4) * ldc + j / 4 * 64, beta, &acc[i][j]);
    } else {
#pragma unroll
        for (int i = 0; i < TM; ++i)
#pragma unroll
            for (int j = 0; j < TN; ++j) {
                const int di = i / 4 * 64 + i % 4, dj = j / 4 * 64 + j % 4;
                float* p = gC + di * ldc + dj;
                if (m + di < M && n + dj < N) *p = beta == 0.0f ? acc[i][j] : fmaf(beta, *p, acc[i][j]);
            }
    }
}

extern "C" int TWIN_NAME(long long M, long long N, long long K, float alpha, const float* A, long long lda, const float* B, long long ldb,
                         float beta, float* C, long long ldc, cudaStream_t stream)
{
    const int status = twin::checkSgemm(M, N, K, alpha, A, lda, B, ldb, C, ldc, TA, TB, BM, BN, BK, VEC);
    if (status != CUTEGEN_OK || M == 0 || N == 0) return status;
    const dim3 grid((unsigned)twin::tiles(M, BM), (unsigned)twin::tiles(N, BN));
    const int k = alpha == 0.0f ? 0 : (int)K; // alpha = 0 reads neither A nor B
    TWIN_KERNEL<<<grid, THREADS, 0, stream>>>((int)M, (int)N, k, alpha, A, (int)lda, B, (int)ldb, beta, C, (int)ldc);
    return (int)cudaGetLastError();
}
