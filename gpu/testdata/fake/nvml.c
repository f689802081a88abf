// The part of NVML that package gpu calls, with numbers of a busy H200. For tests on machines without a GPU.
#include <string.h>

static int device;

const char *nvmlErrorString(int result) { return result == 2 ? "Invalid Argument" : "Success"; }
int nvmlInit_v2(void) { return 0; }

int nvmlSystemGetDriverVersion(char *version, unsigned int length)
{
    if (length < 80) return 2;
    strcpy(version, "580.159.04");
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **d)
{
    *d = &device;
    return strcmp(id, "0000:1B:00.0") == 0 ? 0 : 2;
}

int nvmlDeviceGetClockInfo(void *d, int domain, unsigned int *mhz) { *mhz = domain == 1 ? 1335 : domain == 2 ? 3201 : 0; return d == &device ? 0 : 2; }
int nvmlDeviceGetPowerUsage(void *d, unsigned int *mw) { *mw = 698400; return d == &device ? 0 : 2; }
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned int *mw) { *mw = 700000; return d == &device ? 0 : 2; }

int nvmlDeviceGetCurrentClocksEventReasons(void *d, unsigned long long *bits)
{
    *bits = 0x4 | 0x20;
    return d == &device ? 0 : 2;
}
