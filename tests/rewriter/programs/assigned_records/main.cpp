#include "box.h"

#include <cstdio>

int main() {
  const int count = 50;
  static Box host[count];
  for (int i = 0; i < count; ++i) {
    host[i].low = i;
    host[i].high = 2.0f * i;
  }
  Box *boxes;
  cudaMalloc(&boxes, sizeof(host));
  cudaMemcpy(boxes, host, sizeof(host), cudaMemcpyHostToDevice);
  measure(boxes, count);
  cudaMemcpy(host, boxes, sizeof(host), cudaMemcpyDeviceToHost);
  std::printf("%g\n", host[7].area);
  cudaFree(boxes);
}
