#include "shared.h"
#define LIMIT(n) ((n)-1)
__constant__ float factors[2] = {5.0f, 7.0f}; // without -rdc=true each unit has its own
static __global__ void touch(R *p, int last) { p[threadIdx.x].y += factors[threadIdx.x == last]; }
void run(R *p, int n) { touch<<<1, n>>>(p, LIMIT(n)); }
