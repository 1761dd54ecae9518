// A record of main.cu's name and size, of this unit alone.
#include <cstdio>

namespace {
struct Node {
  int key, next;
  float weight;
};
} // namespace

static __global__ void step(Node *nodes, int count) {
  const int i = threadIdx.x;
  if (i < count)
    nodes[i].weight += nodes[i].key;
}

void more() {
  Node host[32];
  for (int i = 0; i < 32; ++i)
    host[i] = Node{i, i + 1, 0.5f};
  Node *nodes;
  cudaMalloc(&nodes, sizeof(host));
  cudaMemcpy(nodes, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, 32>>>(nodes, 32);
  cudaMemcpy(host, nodes, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(nodes);
  std::printf("%g\n", host[9].weight);
}
