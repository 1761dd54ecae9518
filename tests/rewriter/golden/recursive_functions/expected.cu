// Device functions that call themselves take views by reference, so that each call takes no more of
// the thread's stack than it did.
#include <cstdio>
#include <cuda_runtime.h>

struct Node {
  int left, right;
  float value;
};
#include "node_layout.h"

__device__ float lower(const ConstNodeView &nodes, int at, int depth);

// Directly.
__device__ __noinline__ float sum(const ConstNodeView& nodes, int at) {
  if (at < 0)
    return 0;
  return nodes.value(at) + sum(nodes, nodes.left(at)) + sum(nodes, nodes.right(at));
}

// In turn, one before its definition.
__device__ __noinline__ float upper(const ConstNodeView &nodes, int at, int depth) {
  return at < 0 ? 0 : 2 * nodes.value(at) + lower(nodes, nodes.left(at), depth + 1);
}

__device__ __noinline__ float lower(const ConstNodeView &nodes, int at, int depth) {
  return at < 0 || depth > 20 ? 0 : nodes.value(at) - upper(nodes, nodes.right(at), depth + 1);
}

// What steps on has a view of its own.
__device__ __noinline__ float walk(ConstNodeView node, int n) {
  const float value = node.value();
  ++node;
  return n > 1 ? value + walk(node, n - 1) : value;
}

// It changes elements, and so can what it calls.
__device__ __noinline__ void scale(const NodeView &nodes, int at, float factor) {
  if (at < 0)
    return;
  nodes.value(at) *= factor;
  scale(nodes, nodes.left(at), factor);
  scale(nodes, nodes.right(at), factor);
}

// What it is given changes elsewhere.
__device__ __noinline__ float span(ConstNodeView from, int n) {
  return n > 1 ? from.value(n - 1) - span(from, n - 1) : from.value();
}

// Calls nothing that comes back.
__device__ float first(ConstNodeView nodes) { return nodes.value(0); }

__global__ void compute(NodeView nodes, int n, float *results) {
  results[0] = sum(nodes, 0);
  results[1] = upper(nodes, 0, 0);
  results[2] = walk(nodes, n);
  results[3] = first(nodes);
  for (ConstNodeView from = nodes; from < nodes + n; ++from)
    results[3] += span(from, nodes + n - from);
  scale(nodes, 0, 0.5f);
}

int main() {
  constexpr int n = 31;
  Node nodes[n];
  for (int i = 0; i < n; ++i)
    nodes[i] = {2 * i + 1 < n ? 2 * i + 1 : -1, 2 * i + 2 < n ? 2 * i + 2 : -1, 1.f + i};
  NodeView onDevice;
  float *results;
  nodeMalloc(&onDevice, sizeof nodes);
  cudaMalloc(&results, 4 * sizeof(float));
  nodeMemcpy(onDevice, nodes, sizeof nodes, cudaMemcpyHostToDevice);
  compute<<<1, 1>>>(onDevice, n, results);
  float sums[4];
  cudaMemcpy(sums, results, sizeof sums, cudaMemcpyDeviceToHost);
  nodeMemcpy(nodes, onDevice, sizeof nodes, cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %g %g\n", sums[0], sums[1], sums[2], sums[3], nodes[n - 1].value);
  nodeFree(onDevice);
  cudaFree(results);
  return 0;
}
