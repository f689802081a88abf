// A libcuda whose GPU memory is the host's and whose streams do everything at once, for tests on machines without a GPU.
//
// It checks what a driver would check: that copies stay inside one allocation, that handles are its own, that captures are paired; and, as a
// sanitizer does, that what is copied out of an allocation was copied or set into it. Work captured into a graph runs at once; each launch
// of the graph then does nothing for as long as that took. FAKE_CUINIT and FAKE_DEVICES set the result of cuInit and the number of devices.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult, CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct handle *CUcontext, *CUstream, *CUevent, *CUgraph, *CUgraphExec;

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, NO_DEVICE = 100, INVALID_CONTEXT = 201, INVALID_HANDLE = 400 };

struct handle {
    char kind;
    int capturing;
    double ms;
};

static struct handle context = {'c', 0, 0};
static CUcontext current;

static struct handle *make(char kind)
{
    struct handle *h = calloc(1, sizeof *h);
    h->kind = kind;
    return h;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec * 1e-6;
}

static int is(struct handle *h, char kind) { return h && h->kind == kind; }

static int number(const char *name, int otherwise)
{
    const char *s = getenv(name);
    return s ? atoi(s) : otherwise;
}

CUresult cuGetErrorName(CUresult error, const char **name)
{
    switch (error) {
    case INVALID_VALUE: *name = "CUDA_ERROR_INVALID_VALUE"; return 0;
    case OUT_OF_MEMORY: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return 0;
    case NO_DEVICE: *name = "CUDA_ERROR_NO_DEVICE"; return 0;
    case INVALID_CONTEXT: *name = "CUDA_ERROR_INVALID_CONTEXT"; return 0;
    case INVALID_HANDLE: *name = "CUDA_ERROR_INVALID_HANDLE"; return 0;
    }
    *name = 0;
    return INVALID_VALUE;
}

CUresult cuInit(unsigned int flags) { return flags ? INVALID_VALUE : number("FAKE_CUINIT", 0); }
CUresult cuDriverGetVersion(int *version) { *version = 13000; return 0; }
CUresult cuDeviceGetCount(int *count) { *count = number("FAKE_DEVICES", 1); return 0; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) { *device = 7; return ordinal ? NO_DEVICE : 0; }

CUresult cuDeviceGetName(char *name, int len, CUdevice device)
{
    if (device != 7 || len < 10) return INVALID_VALUE;
    strcpy(name, "fake H200");
    return 0;
}

CUresult cuDeviceGetPCIBusId(char *id, int len, CUdevice device)
{
    if (device != 7 || len < 13) return INVALID_VALUE;
    strcpy(id, "0000:1B:00.0");
    return 0;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    if (device != 7) return INVALID_VALUE;
    switch (attribute) {
    case 13: *value = 1980000; return 0;
    case 16: *value = 132; return 0;
    case 36: *value = 3201000; return 0;
    case 38: *value = 1 << 16; return 0;
    case 75: *value = 9; return 0;
    case 76: *value = 0; return 0;
    }
    return INVALID_VALUE;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) { *bytes = (size_t)5 << 30; return device == 7 ? 0 : INVALID_VALUE; }

CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice device) { *c = &context; return device == 7 ? 0 : INVALID_VALUE; }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) { return device == 7 ? 0 : INVALID_VALUE; }

CUresult cuCtxSetCurrent(CUcontext c)
{
    if (c && !is(c, 'c')) return INVALID_CONTEXT;
    current = c;
    return 0;
}

// Allocations, so that every address can be checked, and for each byte whether it was written.
static struct { char *at, *written; size_t bytes; } blocks[1 << 16];
static int used;

// The allocation that holds all of the bytes, or -1.
static int block(CUdeviceptr p, size_t bytes)
{
    char *at = (char *)p;
    for (int i = 0; i < used; i++)
        if (blocks[i].at && blocks[i].at <= at && at + bytes <= blocks[i].at + blocks[i].bytes) return i;
    return -1;
}

static int inside(CUdeviceptr p, size_t bytes) { return block(p, bytes) >= 0; }

static void wrote(CUdeviceptr p, size_t bytes)
{
    int i = block(p, bytes);
    memset(blocks[i].written + ((char *)p - blocks[i].at), 1, bytes);
}

// For launchers that are their own sanitizer: 0 if the bytes may be read, 1 if they are not all in one allocation, 2 if not all were written.
int fake_read(const void *p, size_t bytes)
{
    int i = block((CUdeviceptr)p, bytes);
    if (i < 0) return 1;
    return memchr(blocks[i].written + ((char *)p - blocks[i].at), 0, bytes) ? 2 : 0;
}

CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t bytes)
{
    if (!current) return INVALID_CONTEXT;
    if (bytes == 0) return INVALID_VALUE;
    int i = 0;
    while (i < used && blocks[i].at) i++;
    if (bytes > (size_t)4 << 30 || i == 1 << 16) return OUT_OF_MEMORY;
    if (posix_memalign((void **)&blocks[i].at, 256, bytes)) return OUT_OF_MEMORY;
    if (!(blocks[i].written = calloc(1, bytes))) return OUT_OF_MEMORY;
    memset(blocks[i].at, 0x5a, bytes);
    blocks[i].bytes = bytes;
    if (i == used) used++;
    *p = (CUdeviceptr)blocks[i].at;
    return 0;
}

CUresult cuMemFree_v2(CUdeviceptr p)
{
    for (int i = 0; i < used; i++)
        if (p && blocks[i].at == (char *)p) {
            free(blocks[i].at);
            free(blocks[i].written);
            blocks[i].at = 0;
            return 0;
        }
    return INVALID_VALUE;
}

CUresult cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
    if (!inside(dst, bytes)) return INVALID_VALUE;
    memcpy((void *)dst, src, bytes);
    wrote(dst, bytes);
    return 0;
}

CUresult cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
    if (fake_read((void *)src, bytes)) return INVALID_VALUE;
    memcpy(dst, (void *)src, bytes);
    return 0;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    if (!is(stream, 's')) return INVALID_HANDLE;
    if (!inside(dst, bytes) || !inside(src, bytes)) return INVALID_VALUE;
    memmove((void *)dst, (void *)src, bytes);
    wrote(dst, bytes);
    return 0;
}

CUresult cuMemsetD32Async(CUdeviceptr dst, unsigned int word, size_t count, CUstream stream)
{
    if (!is(stream, 's')) return INVALID_HANDLE;
    if (!inside(dst, 4 * count)) return INVALID_VALUE;
    for (size_t i = 0; i < count; i++) ((uint32_t *)dst)[i] = word;
    wrote(dst, 4 * count);
    return 0;
}

CUresult cuStreamCreate(CUstream *s, unsigned int flags) { *s = make('s'); return flags > 1 ? INVALID_VALUE : 0; }
CUresult cuStreamSynchronize(CUstream s) { return is(s, 's') && !s->capturing ? 0 : INVALID_HANDLE; }

CUresult cuStreamDestroy_v2(CUstream s)
{
    if (!is(s, 's')) return INVALID_HANDLE;
    free(s);
    return 0;
}

CUresult cuEventCreate(CUevent *e, unsigned int flags) { *e = make('e'); return flags ? INVALID_VALUE : 0; }

CUresult cuEventRecord(CUevent e, CUstream s)
{
    if (!is(e, 'e') || !is(s, 's')) return INVALID_HANDLE;
    e->ms = now();
    return 0;
}

CUresult cuEventSynchronize(CUevent e) { return is(e, 'e') ? 0 : INVALID_HANDLE; }

CUresult cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    if (!is(start, 'e') || !is(end, 'e')) return INVALID_HANDLE;
    *ms = (float)(end->ms - start->ms);
    return 0;
}

CUresult cuEventDestroy_v2(CUevent e)
{
    if (!is(e, 'e')) return INVALID_HANDLE;
    free(e);
    return 0;
}

CUresult cuStreamBeginCapture_v2(CUstream s, int mode)
{
    if (!is(s, 's') || s->capturing || mode > 2) return INVALID_HANDLE;
    s->capturing = 1;
    s->ms = now();
    return 0;
}

CUresult cuStreamEndCapture(CUstream s, CUgraph *graph)
{
    if (!is(s, 's') || !s->capturing) return INVALID_HANDLE;
    s->capturing = 0;
    *graph = make('g');
    (*graph)->ms = now() - s->ms;
    return 0;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
    if (!is(graph, 'g') || flags) return INVALID_HANDLE;
    *exec = make('x');
    (*exec)->ms = graph->ms;
    return 0;
}

CUresult cuGraphLaunch(CUgraphExec exec, CUstream s)
{
    if (!is(exec, 'x') || !is(s, 's')) return INVALID_HANDLE;
    struct timespec t = {(time_t)(exec->ms / 1e3), (long)(exec->ms * 1e6) % 1000000000};
    nanosleep(&t, 0);
    return 0;
}

CUresult cuGraphExecDestroy(CUgraphExec exec)
{
    if (!is(exec, 'x')) return INVALID_HANDLE;
    free(exec);
    return 0;
}

CUresult cuGraphDestroy(CUgraph graph)
{
    if (!is(graph, 'g')) return INVALID_HANDLE;
    free(graph);
    return 0;
}
