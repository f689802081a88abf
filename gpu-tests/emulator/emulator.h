// What a generated .cu needs of CUDA, on the host: one block at a time, and of its threads one at a time, each in a fibre that runs to the next
// barrier. main, at the end of the file that is compiled, serves launches from stdin.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <type_traits>
#include <vector>

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define __global__
#define __device__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
// The arrays of all threads lie in one section, for poisonShared.
#define __shared__ static __attribute__((section("cutegen_shared")))

struct alignas(16) float4 { float x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
template <class T> static inline T __ldg(const T* p) { return *p; }

struct dim3 {
    unsigned x, y, z;
    explicit dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef struct emulated_stream* cudaStream_t;
typedef int cudaError_t;
static inline cudaError_t cudaGetLastError() { return 0; }

namespace emulator {

[[noreturn]] static void fail(const char* what)
{
    fprintf(stderr, "emulator: %s\n", what);
    exit(1);
}

// Threads and blocks run from the first to the last, or from the last to the first. What is right in both orders waits for nobody that no
// barrier makes it wait for.
static bool backwards;

static struct { unsigned x, y, z; } threadIndex, blockIndex;

constexpr size_t stackBytes = 256 << 10;

struct Fibre {
    ucontext_t context;
    char* stack;
    bool done;
};
static std::vector<Fibre> fibres;
static ucontext_t scheduler;
static Fibre* running;
static const std::function<void()>* body;

static void enter()
{
    (*body)();
    running->done = true;
    swapcontext(&running->context, &scheduler);
}

static void barrier() { swapcontext(&running->context, &scheduler); }

extern "C" uint32_t __start_cutegen_shared[] __attribute__((weak));
extern "C" uint32_t __stop_cutegen_shared[] __attribute__((weak));

// What no thread of this block has written is a NaN that no test expects. Between the arrays lie words that may not be touched.
__attribute__((no_sanitize("address"))) static void poisonShared()
{
    for (volatile uint32_t* p = __start_cutegen_shared; p < __stop_cutegen_shared; ++p) *p = 0x7fc0dead;
}

static void runBlock(unsigned threads)
{
    while (fibres.size() < threads) {
        void* const stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (stack == MAP_FAILED) fail("no memory for a thread's stack");
        fibres.push_back({{}, (char*)stack, false});
    }
    for (unsigned t = 0; t < threads; ++t) {
        Fibre& f = fibres[t];
        f.done = false;
        if (getcontext(&f.context) != 0) fail("getcontext failed");
        f.context.uc_stack.ss_sp = f.stack;
        f.context.uc_stack.ss_size = stackBytes;
        f.context.uc_link = nullptr;
        makecontext(&f.context, enter, 0);
    }
    poisonShared();
    for (;;) {
        unsigned done = 0;
        for (unsigned i = 0; i < threads; ++i) {
            const unsigned t = backwards ? threads - 1 - i : i;
            threadIndex = {t, 0, 0};
            running = &fibres[t];
            swapcontext(&scheduler, &running->context);
            done += running->done;
        }
        if (done == threads) return;
        if (done != 0) {
            fprintf(stderr, "emulator: block (%u,%u,%u): %u of %u threads ended while the others wait at a barrier\n", blockIndex.x,
                    blockIndex.y, blockIndex.z, done, threads);
            exit(1);
        }
    }
}

static void launch(dim3 grid, unsigned threads, const std::function<void()>& kernel)
{
    body = &kernel;
    const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
    if (blocks == 0) fail("an empty grid");
    if (threads == 0 || threads > 1024) fail("a block has 1 to 1024 threads");
    for (uint64_t i = 0; i < blocks; ++i) {
        const uint64_t b = backwards ? blocks - 1 - i : i;
        blockIndex = {(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y)};
        runBlock(threads);
    }
}

// --- stdin: a problem; stdout: its answer -----------------------------------------------------------------------------------------------

// Of a short read, only one that ends before a problem is no fault.
static bool take(void* p, size_t n, bool mayEnd = false)
{
    const size_t got = fread(p, 1, n, stdin);
    if (got == n) return true;
    if (got == 0 && mayEnd) return false;
    fail("the problem ends too early");
}
static void give(const void* p, size_t n)
{
    if (fwrite(p, 1, n, stdout) != n) fail("cannot answer");
}

struct Memory {
    float* words;
    uint64_t count;
};
static std::vector<Memory> memories;

static void argument(long long& v) { take(&v, sizeof v); }
static void argument(float& v) { take(&v, sizeof v); }
// The address of byte b of memory m is told as (m + 1) 2^48 + b; 0 is null.
template <class T> static void argument(T*& v)
{
    uint64_t address;
    take(&address, sizeof address);
    if (address == 0) {
        v = nullptr;
        return;
    }
    const uint64_t m = (address >> 48) - 1;
    if (m >= memories.size()) fail("an address in no memory");
    v = (T*)((char*)memories[m].words + (address & 0xffffffffffffull));
}
static void argument(cudaStream_t& v) { v = nullptr; }

// Takes the next argument as what the launcher's next parameter is.
template <class P, class... Rest, class F> static int call(F f)
{
    P p;
    argument(p);
    if constexpr (sizeof...(Rest) == 0) {
        return f(p);
    } else {
        return call<Rest...>([&](Rest... rest) { return f(p, rest...); });
    }
}
template <class... P> static int launcher(int (*f)(P...)) { return call<P...>(f); }

// A problem is the order, the number of memories, each one's number of words and its words, and the arguments. Its answer is the status,
// and the words of each memory.
template <class F> static int serve(F f)
{
    for (uint8_t order; take(&order, 1, true);) {
        backwards = order != 0;
        uint64_t n;
        take(&n, sizeof n);
        memories.clear();
        for (uint64_t i = 0; i < n; ++i) {
            Memory m;
            take(&m.count, sizeof m.count);
            void* p;
            if (posix_memalign(&p, 256, 4 * m.count) != 0) fail("no memory");
            m.words = (float*)p;
            take(p, 4 * m.count);
            memories.push_back(m);
        }
        const int32_t status = launcher(f);
        give(&status, sizeof status);
        for (const Memory& m : memories) {
            give(m.words, 4 * m.count);
            free(m.words);
        }
        fflush(stdout);
    }
    return 0;
}

} // namespace emulator

#define threadIdx emulator::threadIndex
#define blockIdx emulator::blockIndex
#define __syncthreads emulator::barrier
