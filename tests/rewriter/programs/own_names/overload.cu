#include "shared.h"
static __device__ double scale(double value) { return 3 * value; } // main.cu's would fit better
static __global__ void work(R *p, int n) { p[threadIdx.x].y = scale(1.0f) + n; }
void run(R *p, int n) { work<<<1, n>>>(p, n); }
