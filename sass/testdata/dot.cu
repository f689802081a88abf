// The source of dot.*: a loop with a tile in shared memory, and index arithmetic around it.
extern "C" __global__ void dot(const float4* __restrict__ a, float* c, int n)
{
    __shared__ float4 s[32];
    const int t = threadIdx.x;
    float x = 0.0f;
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
        s[t ^ (i & 7)] = a[i * 32 + t];
        __syncthreads();
        const float4 y = s[31 - t];
        x = fmaf(y.x, y.y, fmaf(y.z, y.w, x));
        __syncthreads();
    }
    c[(long long)blockIdx.x * n + t] = x;
}
