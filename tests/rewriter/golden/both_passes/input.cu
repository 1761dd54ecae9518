// Code that only one side's compiler sees, and names from other scopes.
#include <cstdio>

namespace lib {
inline namespace v1 {
struct Item { double value; float factor; }; // in one line
} // namespace v1
typedef struct Node_ {
  float key;
  int left, right;
} Node;
} // namespace lib

using lib::Item;
using ItemPointer = Item *;

#ifdef __CUDA_ARCH__
__device__ float keyOf(const lib::Node *nodes, int i) { return (nodes + i)->key; }
#else
float keyOf(const float *keys, int i) { return keys[i]; }
#endif

__global__ void scale(ItemPointer items, const Item *old, lib::Node *nodes, int n) {
  int i = threadIdx.x;
#ifdef __CUDA_ARCH__
  items[i].factor = keyOf(nodes, i);
#endif
  int at = 0;
  for (int depth = 0; depth < n && at >= 0; ++depth)
    at = old[i].value < nodes[at].key ? nodes[at].left : nodes[at].right;
  items[i].value += old[i].factor * at;
}

int main() {
  Item *items, *old;
  lib::Node *nodes;
  cudaMalloc(&items, 64 * sizeof(*items));
  cudaMalloc(&old, 64 * sizeof(Item));
  cudaMalloc(&nodes, 64 * sizeof *nodes);
  cudaMemset(items, 0, 64 * sizeof(Item));
  Item host[64];
  lib::Node tree[64];
  for (int i = 0; i < 64; ++i) {
    host[i] = {i * 0.5, 1.0f + i};
    tree[i] = {10.0f + i, 2 * i + 1 < 64 ? 2 * i + 1 : -1, 2 * i + 2 < 64 ? 2 * i + 2 : -1};
  }
  cudaMemcpy(old, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(nodes, tree, sizeof(tree), cudaMemcpyHostToDevice);
  scale<<<1, 64>>>(items, old, nodes, 4);
  cudaMemcpy(host, items, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Item &item : host)
    sum += item.value + item.factor;
  std::printf("%.9g\n", sum);
}
