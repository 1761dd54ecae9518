#include "shared.h"
static float scale(float value) { return 4 * value; } // on a CPU the same function as main.cu's
__global__ void work(R *p, int n) { p[threadIdx.x].y = n; }
float half() { return scale(0.5f); }
