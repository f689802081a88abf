// The part of cuBLAS that package gpu calls, by its definition: column-major, in double. For tests on machines without a GPU.
//
// FAKE_MATH_MODE makes cublasGetMathMode say that mode; FAKE_TF32 makes the products those of TF32, with 10 bits of fraction.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int cublasStatus_t;

enum { INVALID_VALUE = 7 };

struct context { void *stream, *workspace; int mode; };

const char *cublasGetStatusName(cublasStatus_t s) { return s == INVALID_VALUE ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_SUCCESS"; }

cublasStatus_t cublasGetProperty(int type, int *value)
{
    static const int version[] = {13, 1, 2};
    *value = version[type];
    return 0;
}

cublasStatus_t cublasCreate_v2(struct context **h) { *h = calloc(1, sizeof **h); return 0; }
cublasStatus_t cublasDestroy_v2(struct context *h) { free(h); return 0; }

cublasStatus_t cublasSetStream_v2(struct context *h, void *stream) { h->stream = stream; h->workspace = 0; return 0; }

cublasStatus_t cublasSetWorkspace_v2(struct context *h, void *workspace, size_t bytes)
{
    h->workspace = workspace;
    return bytes == 32 << 20 ? 0 : INVALID_VALUE;
}

cublasStatus_t cublasSetMathMode(struct context *h, int mode) { h->mode = mode; return 0; }

cublasStatus_t cublasGetMathMode(struct context *h, int *mode)
{
    const char *s = getenv("FAKE_MATH_MODE");
    *mode = s ? atoi(s) : h->mode;
    return 0;
}

static float at(const float *a, int ld, int op, int i, int j) { return op ? a[j + (long long)i * ld] : a[i + (long long)j * ld]; }

static float shorten(float x)
{
    uint32_t u;
    memcpy(&u, &x, 4);
    u &= ~0x1fffu;
    memcpy(&x, &u, 4);
    return x;
}

static int most(int n) { return n > 1 ? n : 1; }

cublasStatus_t cublasSgemm_v2(struct context *h, int opA, int opB, int m, int n, int k, const float *alpha, const float *a, int lda,
                              const float *b, int ldb, const float *beta, float *c, int ldc)
{
    if (!h->stream || !h->workspace || opA > 1 || opB > 1) return INVALID_VALUE;
    if (lda < most(opA ? k : m) || ldb < most(opB ? n : k) || ldc < most(m)) return INVALID_VALUE;
    int tf32 = getenv("FAKE_TF32") != 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int l = 0; l < k; l++) {
                float x = at(a, lda, opA, i, l), y = at(b, ldb, opB, l, j);
                if (tf32) x = shorten(x), y = shorten(y);
                sum += (double)x * y;
            }
            float *out = &c[i + (long long)j * ldc];
            *out = (float)(*alpha * sum + (*beta == 0 ? 0 : *beta * *out));
        }
    return 0;
}

cublasStatus_t cublasSgeam(struct context *h, int opA, int opB, int m, int n, const float *alpha, const float *a, int lda,
                           const float *beta, const float *b, int ldb, float *c, int ldc)
{
    if (!h->stream || opA > 1 || opB != 0 || *alpha != 1 || *beta != 0) return INVALID_VALUE;
    if (lda < most(opA ? n : m) || ldb < most(m) || ldc < most(m) || (b == c && ldb != ldc)) return INVALID_VALUE;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) c[i + (long long)j * ldc] = at(a, lda, opA, i, j);
    return 0;
}
