#include <cstdio>

struct Node {
  float x, y;
  int id;
};

static __global__ void step(Node *nodes, int count) {
  const int i = threadIdx.x;
  if (i < count)
    nodes[i].x *= nodes[i].y;
}

void more();

int main() {
  Node host[64];
  for (int i = 0; i < 64; ++i)
    host[i] = Node{0.5f * i, 2, i};
  Node *nodes;
  cudaMalloc(&nodes, sizeof(host));
  cudaMemcpy(nodes, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<1, 64>>>(nodes, 64);
  cudaMemcpy(host, nodes, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(nodes);
  std::printf("%g\n", host[9].x);
  more();
}
