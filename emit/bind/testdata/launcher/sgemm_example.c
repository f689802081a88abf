/* A launcher of the ABI without a GPU: it returns the number of the first parameter that is not what bind_test.go sends. */
#ifdef SOURCE
const char *sgemm_example_source(void) { return SOURCE; }
#endif

typedef void *cudaStream_t;

int sgemm_example(long long M, long long N, long long K, float alpha,
                  const float *A, long long lda, const float *B, long long ldb,
                  float beta, float *C, long long ldc, cudaStream_t stream)
{
    if (M < 0) return -2;
    if (M != 3LL << 40) return 1;
    if (N != 5) return 2;
    if (K != 7) return 3;
    if (alpha != 1.5f) return 4;
    if (A != (const float *)0x7f0000001000) return 5;
    if (lda != 8) return 6;
    if (B != (const float *)0x7f0000002000) return 7;
    if (ldb != 9) return 8;
    if (beta != -0.25f) return 9;
    if (C != (float *)0x7f0000003000) return 10;
    if (ldc != 11) return 11;
    if (stream != (cudaStream_t)0x12) return 12;
    return 0;
}
