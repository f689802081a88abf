// An SGEMM launcher that computes on the host, for tests on the fake GPU. It stands for a kernel of tile 128x128x8 with vectors of V; TA
// and TB say whether A and B are stored transposed.
//
// BUG: 1 drops the last k, 2 reads C although beta is 0, 3 reads A and B although alpha is 0, 4 writes one element of padding, 5 treats a NaN as
// 0, 6 computes with TF32's 10 bits, 7 gets one element of a large C wrong by one, 8 refuses nothing but sizes below 0, 9 takes
// the tail of A's row beyond K into the sum with factor 0, 10 adds half an element where K is 1000 or more.
#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef V
#define V 1
#endif
#ifndef TA
#define TA 0
#endif
#ifndef TB
#define TB 0
#endif
#ifndef BUG
#define BUG 0
#endif

static float shorten(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    u &= ~0x1fffu;
    memcpy(&x, &u, 4);
    return x;
}

int NAME(long long M, long long N, long long K, float alpha, const float *A, long long lda, const float *B, long long ldb, float beta,
         float *C, long long ldc, void *stream)
{
    if (M < 0 || N < 0 || K < 0 || lda < 0 || ldb < 0 || ldc < 0) return -2;
    if (BUG != 8) {
        if (lda < 1 || lda < (TA ? M : K) || ldb < 1 || ldb < (TB ? K : N) || ldc < 1 || ldc < N) return -3;
        if (M == 0 || N == 0) return 0;
        int used = K > 0 && alpha != 0;
        if (!C || (used && (!A || !B))) return -1;
        if (used && ((uintptr_t)A % (4 * V) || lda % V || (uintptr_t)B % (4 * V) || ldb % V)) return -4;
        if ((uintptr_t)C % (4 * V) || ldc % V) return -4;
        long long most = INT32_MAX / 128 - 1;
        if (M > most * 128 || N > most * 128 || K > INT32_MAX - 8 || lda > most || ldb > most || ldc > most) return -6;
        if ((N + 127) / 128 > 65535) return -5;
    } else if (M > 1 << 20 || N > 1 << 20 || K > 1 << 20 || lda > 1 << 20 || ldb > 1 << 20 || ldc > 1 << 20 || !A || !B || !C) {
        return 0;
    }
    if (!stream) return 400;
    for (long long i = 0; i < M; i++)
        for (long long j = 0; j < N; j++) {
            float sum = 0;
            long long k = 0;
            if (alpha != 0 || (BUG == 3 && A && B))
                for (; k < K - (BUG == 1 && K > 100); k++) {
                    float a = TA ? A[k * lda + i] : A[i * lda + k], b = TB ? B[j * ldb + k] : B[k * ldb + j];
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
    if (BUG == 4 && ldc > N && M > 1) C[N] = 0;
    if (BUG == 7 && M * N > 1 << 13) C[M / 2 * ldc + N / 3] += 1;
    return 0;
}
