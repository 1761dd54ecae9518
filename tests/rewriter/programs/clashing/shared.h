#pragma once
struct R {
  float x, y;
};
__global__ void work(R *p, int n);
