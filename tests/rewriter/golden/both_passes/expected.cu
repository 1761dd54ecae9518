// Code that only one side's compiler sees, and names from other scopes.
#include <cstdio>

namespace lib {
inline namespace v1 {
struct Item { double value; float factor; }; // in one line
} // namespace v1
} // namespace lib
#include "item_layout.h"
namespace lib {
typedef struct Node_ {
  float key;
  int left, right;
} Node;
} // namespace lib
#include "node_layout.h"

using lib::Item;
using ItemPointer = Item *;

#ifdef __CUDA_ARCH__
__device__ float keyOf(lib::ConstNodeView nodes, int i) { return (nodes + i).key(); }
#else
float keyOf(const float *keys, int i) { return keys[i]; }
#endif

__global__ void scale(lib::v1::ItemView items, lib::v1::ConstItemView old, lib::NodeView nodes, int n) {
  int i = threadIdx.x;
#ifdef __CUDA_ARCH__
  items.factor(i) = keyOf(nodes, i);
#endif
  int at = 0;
  for (int depth = 0; depth < n && at >= 0; ++depth)
    at = old.value(i) < nodes.key(at) ? nodes.left(at) : nodes.right(at);
  items.value(i) += old.factor(i) * at;
}

int main() {
  lib::v1::ItemView items, old;
  lib::NodeView nodes;
  itemMalloc(&items, 64 * sizeof(lib::v1::Item));
  itemMalloc(&old, 64 * sizeof(Item));
  nodeMalloc(&nodes, 64 * sizeof(lib::Node_));
  itemMemset(items, 0, 64 * sizeof(Item));
  Item host[64];
  lib::Node tree[64];
  for (int i = 0; i < 64; ++i) {
    host[i] = {i * 0.5, 1.0f + i};
    tree[i] = {10.0f + i, 2 * i + 1 < 64 ? 2 * i + 1 : -1, 2 * i + 2 < 64 ? 2 * i + 2 : -1};
  }
  itemMemcpy(old, host, sizeof(host), cudaMemcpyHostToDevice);
  nodeMemcpy(nodes, tree, sizeof(tree), cudaMemcpyHostToDevice);
  scale<<<1, 64>>>(items, old, nodes, 4);
  itemMemcpy(host, items, sizeof(host), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Item &item : host)
    sum += item.value + item.factor;
  std::printf("%.9g\n", sum);
}
