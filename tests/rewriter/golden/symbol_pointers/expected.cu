// Pointers in variables in device memory, which the host fills in.
#include <cstdio>
#include <cuda_runtime.h>

struct Node {
  float x, y;
  int links;
};
#include "node_layout.h"

__device__ NodeView nodes;
__constant__ NodeView layers[2];

__global__ void start(int n) {
  const int i = threadIdx.x;
  if (i < n) {
    nodes.x(i) = i;
    nodes.y(i) = 1.0f;
    nodes.links(i) = i % 3;
    layers[0].x(i) = 2.0f;
    layers[1].x(i) = 3.0f;
  }
}

__global__ void move(int n) {
  const int i = threadIdx.x;
  if (i < n)
    nodes.x(i) += nodes.y(i) * layers[nodes.links(i) == 0 ? 0 : 1].x(i);
}

int main() {
  const int n = 32;
  NodeView own, others[2];
  nodeMalloc(&own, n * sizeof(Node));
  nodeMalloc(&others[0], n * sizeof(Node));
  nodeMalloc(&others[1], n * sizeof(Node));
  cudaMemcpyToSymbol(nodes, &own, sizeof(NodeView));
  cudaMemcpyToSymbol(layers, others, sizeof(others), 0, cudaMemcpyHostToDevice);
  start<<<1, n>>>(n);
  move<<<1, n>>>(n);
  Node host[n];
  nodeMemcpy(host, own, n * sizeof(Node), cudaMemcpyDeviceToHost);
  for (const Node &node : host)
    std::printf("%g %g %d\n", node.x, node.y, node.links);
  nodeFree(own);
  nodeFree(others[0]);
  nodeFree(others[1]);
}
