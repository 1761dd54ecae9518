#pragma once

#include <cuda_runtime.h>

struct Box {
  float low, high, area;

  __host__ __device__ void operator=(const Box &other) {
    low = other.low;
    high = other.high;
    area = other.area;
  }
};

void measure(Box *boxes, int count);
