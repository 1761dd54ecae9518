// Device functions that call themselves take views by reference, so that each call takes no more of
// the thread's stack than it did.
#include <cstdio>
#include <cuda_runtime.h>

struct Node {
  int left, right;
  float value;
};

__device__ float lower(const Node *nodes, int at, int depth);

// Directly.
__device__ __noinline__ float sum(const Node* nodes, int at) {
  if (at < 0)
    return 0;
  return nodes[at].value + sum(nodes, nodes[at].left) + sum(nodes, nodes[at].right);
}

// In turn, one before its definition.
__device__ __noinline__ float upper(const Node *__restrict__ nodes, int at, int depth) {
  return at < 0 ? 0 : 2 * nodes[at].value + lower(nodes, nodes[at].left, depth + 1);
}

__device__ __noinline__ float lower(const Node *nodes, int at, int depth) {
  return at < 0 || depth > 20 ? 0 : nodes[at].value - upper(nodes, nodes[at].right, depth + 1);
}

// What steps on has a view of its own.
__device__ __noinline__ float walk(const Node *node, int n) {
  const float value = node->value;
  ++node;
  return n > 1 ? value + walk(node, n - 1) : value;
}

// It changes elements, and so can what it calls.
__device__ __noinline__ void scale(Node *nodes, int at, float factor) {
  if (at < 0)
    return;
  nodes[at].value *= factor;
  scale(nodes, nodes[at].left, factor);
  scale(nodes, nodes[at].right, factor);
}

// What it is given changes elsewhere.
__device__ __noinline__ float span(const Node *from, int n) {
  return n > 1 ? from[n - 1].value - span(from, n - 1) : from->value;
}

// Calls nothing that comes back.
__device__ float first(const Node *nodes) { return nodes[0].value; }

__global__ void compute(Node *nodes, int n, float *results) {
  results[0] = sum(nodes, 0);
  results[1] = upper(nodes, 0, 0);
  results[2] = walk(nodes, n);
  results[3] = first(nodes);
  for (const Node *from = nodes; from < nodes + n; ++from)
    results[3] += span(from, nodes + n - from);
  scale(nodes, 0, 0.5f);
}

int main() {
  constexpr int n = 31;
  Node nodes[n];
  for (int i = 0; i < n; ++i)
    nodes[i] = {2 * i + 1 < n ? 2 * i + 1 : -1, 2 * i + 2 < n ? 2 * i + 2 : -1, 1.f + i};
  Node *onDevice;
  float *results;
  cudaMalloc(&onDevice, sizeof nodes);
  cudaMalloc(&results, 4 * sizeof(float));
  cudaMemcpy(onDevice, nodes, sizeof nodes, cudaMemcpyHostToDevice);
  compute<<<1, 1>>>(onDevice, n, results);
  float sums[4];
  cudaMemcpy(sums, results, sizeof sums, cudaMemcpyDeviceToHost);
  cudaMemcpy(nodes, onDevice, sizeof nodes, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %g %g\n", sums[0], sums[1], sums[2], sums[3], nodes[n - 1].value);
  cudaFree(onDevice);
  cudaFree(results);
  return 0;
}
