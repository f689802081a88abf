// Launchers that return what their arguments are, so that a test can tell whether each arrives in its place.
typedef void *cudaStream_t;

const char *echo_transpose_source(void) { return "0123456789abcdef"; }

int echo_transpose(long long M, long long N, long long batch, const float *src, long long ld_src, long long batch_stride_src,
                   float *dst, long long ld_dst, long long batch_stride_dst, cudaStream_t stream)
{
    return M == (3LL << 40) && N == 5 && batch == 7 && src == (float *)0x1000 && ld_src == 11 && batch_stride_src == 13 &&
                   dst == (float *)0x2000 && ld_dst == 17 && batch_stride_dst == (19LL << 40) && stream
               ? -4
               : 9;
}

int echo_sgemm(long long M, long long N, long long K, float alpha, const float *A, long long lda, const float *B, long long ldb,
               float beta, float *C, long long ldc, cudaStream_t stream)
{
    return M == (3LL << 40) && N == 5 && K == 7 && alpha == 1.5f && A == (float *)0x1000 && lda == 11 && B == (float *)0x2000 &&
                   ldb == 13 && beta == -0.25f && C == (float *)0x3000 && ldc == (17LL << 40) && stream
               ? -7
               : 700;
}
