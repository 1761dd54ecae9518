// Pointers in variables in device memory, which the host fills in.
#include <cstdio>
#include <cuda_runtime.h>

struct Node {
  float x, y;
  int links;
};

__device__ Node *nodes;
__constant__ Node *layers[2];

__global__ void start(int n) {
  const int i = threadIdx.x;
  if (i < n) {
    nodes[i].x = i;
    nodes[i].y = 1.0f;
    nodes[i].links = i % 3;
    layers[0][i].x = 2.0f;
    layers[1][i].x = 3.0f;
  }
}

__global__ void move(int n) {
  const int i = threadIdx.x;
  if (i < n)
    nodes[i].x += nodes[i].y * layers[nodes[i].links == 0 ? 0 : 1][i].x;
}

int main() {
  const int n = 32;
  Node *own, *others[2];
  cudaMalloc(&own, n * sizeof(Node));
  cudaMalloc(&others[0], n * sizeof(Node));
  cudaMalloc(&others[1], n * sizeof(Node));
  cudaMemcpyToSymbol(nodes, &own, sizeof(Node *));
  cudaMemcpyToSymbol(layers, others, sizeof(others), 0, cudaMemcpyHostToDevice);
  start<<<1, n>>>(n);
  move<<<1, n>>>(n);
  Node host[n];
  cudaMemcpy(host, own, n * sizeof(Node), cudaMemcpyDeviceToHost);
  for (const Node &node : host)
    std::printf("%g %g %d\n", node.x, node.y, node.links);
  cudaFree(own);
  cudaFree(others[0]);
  cudaFree(others[1]);
}
