// What the launchers of tests on the fake GPU share.
#pragma once
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef V
#define V 1
#endif
#ifndef SOURCE
#define SOURCE ""
#endif
#ifndef BUG
#define BUG 0
#endif

// The launcher NAME tells, as a generated one does, that it is built from SOURCE.
#define JOIN(a, b) a##b
#define SOURCE_OF(name) JOIN(name, _source)
const char *SOURCE_OF(NAME)(void) { return SOURCE; }

// A limit or a guard that is planted off by one: the variable NAME=1 lets one more pass, NAME=-1 one less.
static int off(const char *name)
{
    const char *s = getenv(name);
    return s ? atoi(s) : 0;
}

// The alignment n, half or double with a variable.
static int alignment(int n, const char *name)
{
    int by = off(name);
    return by < 0 ? 2 * n : by > 0 && n > 1 ? n / 2 : n;
}

// With the variable "sanitizer" a launcher watches its own reads: 1, as memcheck, for those outside every allocation, 2, as initcheck, for
// those of what was not written. It then returns a cudaError_t, 700 or 701.
static int sanitizer, strayed;
static int (*fake_read)(const void *, size_t);

static void start_watching(void)
{
    strayed = 0;
    sanitizer = off("sanitizer");
    if (!fake_read) fake_read = dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fake_read");
}

static void watch(const void *p)
{
    if (sanitizer && fake_read(p, 4) == sanitizer) strayed = 699 + sanitizer;
}

// As kernels.MostExtent and kernels.MostLD.
static long long most_extent(int tile) { return (INT32_MAX / tile - 1LL) * tile; }
static long long most_ld(int rows, int columns) { return (INT32_MAX - columns) / rows; }
