// An SGEMM launcher that computes on the host, for tests on the fake GPU. It stands for a kernel of tile TILExTILEx8 with vectors of V;
// TA and TB say whether A and B are stored transposed.
//
// BUG: 1 drops the last k, 2 reads C although beta is 0, 3 reads A and B although alpha is 0, 4 writes one element of padding, 5 treats a NaN as
// 0, 6 computes with TF32's 10 bits, 7 gets one element of a large C wrong by one, 8 refuses nothing but sizes below 0, 9 takes
// the tail of A's row beyond K into the sum with factor 0, 10 adds half an element where K is 1000 or more.
#include "fake.h"
#include <math.h>
#include <string.h>

#ifndef TA
#define TA 0
#endif
#ifndef TB
#define TB 0
#endif
#ifndef TILE
#define TILE 128
#endif

static float shorten(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    u &= ~0x1fffu;
    memcpy(&x, &u, 4);
    return x;
}

// The result may be 1: an empty problem.
static int refuse(long long M, long long N, long long K, float alpha, const float *A, long long lda, const float *B, long long ldb,
                  const float *C, long long ldc)
{
    if (lda < 1 - off("least lda") || lda < (TA ? M : K) - off("row of lda")) return -3;
    if (ldb < 1 - off("least ldb") || ldb < (TB ? K : N) - off("row of ldb")) return -3;
    if (ldc < 1 - off("least ldc") || ldc < N - off("row of ldc")) return -3;
    if (M == 0 || N == 0) return 1;
    if (!C || (alpha != 0 && K > 0 + off("K with A and B") && (!A || !B))) return -1;
    if (alpha != 0 && K > 0 + off("K with alignments")) {
        if ((uintptr_t)A % alignment(4 * V, "alignment of A") || lda % alignment(V, "alignment of lda")) return -4;
        if ((uintptr_t)B % (4 * V) || ldb % V) return -4;
    }
    if ((uintptr_t)C % alignment(4 * V, "alignment of C") || ldc % V) return -4;
    if (M > most_extent(TILE) + off("reach of M") || N > most_extent(TILE) || K > most_extent(8) + off("reach of K")) return -6;
    if (lda > (TA ? most_ld(8, TILE) : most_ld(TILE, 8)) + off("reach of lda")) return -6;
    if (ldb > (TB ? most_ld(TILE, 8) : most_ld(8, TILE)) + off("reach of ldb")) return -6;
    if (ldc > most_ld(TILE, TILE) + V * off("reach of ldc")) return -6;
    if ((N + TILE - 1) / TILE > 65535 + off("tiles along N")) return -5;
    return 0;
}

int NAME(long long M, long long N, long long K, float alpha, const float *A, long long lda, const float *B, long long ldb, float beta,
         float *C, long long ldc, void *stream)
{
    if (M < 0 || N < 0 || K < 0 || lda < 0 || ldb < 0 || ldc < 0) return -2;
    if (BUG != 8) {
        int status = refuse(M, N, K, alpha, A, lda, B, ldb, C, ldc);
        if (status) return status == 1 ? 0 : status;
    } else if (M > 1 << 20 || N > 1 << 20 || K > 1 << 20 || lda > 1 << 20 || ldb > 1 << 20 || ldc > 1 << 20 || !A || !B || !C) {
        return 0;
    }
    if (!stream) return 400;
    if (alpha != 0 && K > 0 && (!A || !B)) return 700; // cudaErrorIllegalAddress
    if ((N + TILE - 1) / TILE > 65535) return 9;             // cudaErrorInvalidConfiguration
    start_watching();
    for (long long i = 0; i < M; i++)
        for (long long j = 0; j < N; j++) {
            float sum = 0;
            long long k = 0;
            if (alpha != 0 || (BUG == 3 && A && B))
                for (; k < K - (BUG == 1 && K > 100); k++) {
                    const float *pa = TA ? &A[k * lda + i] : &A[i * lda + k], *pb = TB ? &B[j * ldb + k] : &B[k * ldb + j];
                    if (j == 0) watch(pa);
                    if (i == 0) watch(pb);
                    float a = *pa, b = *pb;
                    if (BUG == 5 && isnan(a)) a = 0;
                    if (BUG == 6) a = shorten(a), b = shorten(b);
                    sum = fmaf(a, b, sum);
                }
            if (BUG == 9 && !TA && k > 0 && lda > K) sum = fmaf(0, A[i * lda + K], sum);
            if (BUG == 10 && K >= 1000) sum += 0.5f;
            float r = alpha * sum;
            if (beta != 0 || BUG == 2) r = fmaf(beta, C[i * ldc + j], r);
            C[i * ldc + j] = r;
        }
    if (alpha != 0) { // what no result shows: the element after a stored row, where it would be the last of a vector
        long long rowsA = TA ? K : M, columnsA = TA ? M : K, rowsB = TB ? N : K, columnsB = TB ? K : N;
        if (off("guard of B") && columnsB % 4 == 3)
            for (long long i = 0; i < rowsB; i++) watch(&B[i * ldb + columnsB]);
        if (off("guard of A") && columnsA % 4 == 3)
            for (long long i = 0; i < rowsA; i++) watch(&A[i * lda + columnsA]);
    }
    if (BUG == 4 && ldc > N && M > 1) C[N] = 0;
    if (BUG == 7 && M * N > 1 << 13) C[M / 2 * ldc + N / 3] += 1;
    return strayed;
}
