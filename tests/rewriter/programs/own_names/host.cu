#include "shared.h"
static float scale(float value) { return 4 * value; } // on a CPU the same function as main.cu's
static __global__ void work(R *p, float by) { p[threadIdx.x].y *= by; }
void run(R *p, int n) { work<<<1, n>>>(p, scale(0.5f)); }
