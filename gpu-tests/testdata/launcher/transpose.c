// A transpose launcher that computes on the host, for tests on the fake GPU. It stands for a kernel of tile 32x32 with vectors of V.
//
// BUG: 1 reads the first matrix for the whole batch, 2 writes one element of padding, 3 misses the last row, 4 does not check the alignment,
// 5 launches a refused problem all the same, 6 writes the source, 7 is wrong every 20th time, 8 makes NaNs quiet.
#include "fake.h"

static int refuse(long long M, long long N, long long batch, const uint32_t *src, long long ld_src, long long batch_stride_src,
                  uint32_t *dst, long long ld_dst, long long batch_stride_dst)
{
    if (M < 0 || N < 0 || batch < 0 || ld_src < 0 || ld_dst < 0 || batch_stride_src < 0 || batch_stride_dst < 0) return -2;
    if (ld_src < 1 - off("least ld_src") || ld_src < N - off("row of ld_src")) return -3;
    if (ld_dst < 1 - off("least ld_dst") || ld_dst < M - off("row of ld_dst")) return -3;
    if (M == 0 || N == 0 || batch == 0) return 1;
    if (!src || !dst) return -1;
    if (BUG != 4) {
        if ((uintptr_t)src % alignment(4 * V, "alignment of src") || (uintptr_t)dst % alignment(4 * V, "alignment of dst")) return -4;
        if (ld_src % alignment(V, "alignment of ld_src") || ld_dst % V) return -4;
        if (batch > 1 + off("batch with alignments") && (batch_stride_src % V || batch_stride_dst % V)) return -4;
    }
    if (M > most_extent(32) || N > most_extent(32)) return -6;
    if (ld_src > most_ld(32, 32) + V * off("reach of ld_src") || ld_dst > most_ld(32, 32) + V * off("reach of ld_dst")) return -6;
    if ((N + 31) / 32 > 65535 + off("tiles along N") || batch > 65535 + off("batch in the grid")) return -5;
    if (batch > 1 + off("batch with overlap") && batch_stride_dst < (N - 1) * ld_dst + M - off("overlap")) return -7;
    return 0;
}

int NAME(long long M, long long N, long long batch, const float *src_, long long ld_src, long long batch_stride_src, float *dst_,
         long long ld_dst, long long batch_stride_dst, void *stream)
{
    static int calls;
    uint32_t *src = (uint32_t *)src_, *dst = (uint32_t *)dst_;
    int status = refuse(M, N, batch, src, ld_src, batch_stride_src, dst, ld_dst, batch_stride_dst);
    if (BUG == 5 && status < 0 && dst) dst[0] = 1;
    if (status || !stream) return status == 1 ? 0 : status;
    calls++;
    start_watching();
    if (BUG == 1) batch_stride_src = 0;
    for (long long b = 0; b < batch; b++) {
        for (long long n = 0; n < N - (BUG == 3 && N > 1); n++) {
            for (long long m = 0; m < M; m++) {
                const uint32_t *p = &src[b * batch_stride_src + m * ld_src + n];
                watch(p);
                uint32_t x = *p;
                if (BUG == 8 && (x & 0x7f800000) == 0x7f800000 && (x & 0x7fffff)) x |= 0x400000;
                dst[b * batch_stride_dst + n * ld_dst + m] = x;
            }
            if (BUG == 2 && n == 0 && ld_dst > M) dst[M] = 0;
        }
        // What no result shows: the element after a row, where it would be the last of a vector, and the row after the last.
        if (off("guard of columns") && N % 4 == 3)
            for (long long m = 0; m < M; m++) watch(&src[b * batch_stride_src + m * ld_src + N]);
        if (off("guard of rows")) watch(&src[b * batch_stride_src + M * ld_src]);
    }
    if (BUG == 6) src[0] ^= 1;
    if (BUG == 7 && calls % 20 == 0) dst[0] ^= 1;
    return strayed;
}
