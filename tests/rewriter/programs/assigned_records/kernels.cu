#include "box.h"

__global__ void areas(Box *boxes, int count) {
  const int i = threadIdx.x;
  if (i < count)
    boxes[i].area = boxes[i].high - boxes[i].low;
}

void measure(Box *boxes, int count) { areas<<<1, 64>>>(boxes, count); }
