#include <cstdio>
#include <cstdlib>

#include "node.h"

#include "pool.h"

__global__ void branch(Node *nodes, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    nodes[i].bound[nodes[i].depth % 2] += nodes[i].depth;
}

int main() {
  Pool pool;
  fill(&pool, 90);
  Node *nodes;
  cudaMalloc(&nodes, pool.count * sizeof(Node));
  cudaMemcpy(nodes, pool.nodes, pool.count * sizeof(Node), cudaMemcpyHostToDevice);
  branch<<<3, 32>>>(nodes, pool.count);
  cudaMemcpy(pool.nodes, nodes, pool.count * sizeof(Node), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < pool.count; ++i)
    sum += pool.nodes[i].bound[0] + pool.nodes[i].bound[1];
  std::printf("%g\n", sum);
  cudaFree(nodes);
  free(pool.nodes);
}
