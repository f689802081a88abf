// The source of spill.*: more live values than the 24 registers allowed, so that ptxas keeps some in local memory.
extern "C" __global__ void spill(float* p)
{
    float a[24];
#pragma unroll
    for (int i = 0; i < 24; ++i) a[i] = p[32 * i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 24; ++i) p[32 * i] = a[23 - i];
}
