// Elements chosen, bound and copied in the ways that C++ has beside subscripts.
#include <cstdio>
#include <cuda_runtime.h>

struct Item {
  float value;
  int key;
  double weight;
};
#include "item_layout.h"

struct Cursor {
  __device__ Cursor(ItemView item) : at(item) {}
  ItemView at;
};

struct Reader {
  __device__ Reader(ConstItemView item) : at(item) {}
  ConstItemView at;
};

__device__ ItemView find(ItemView items, int n, int key) {
  for (int i = 0; i < n; ++i)
    if (items.key(i) == key)
      return items + i;
  return nullptr;
}

/// Counts what is there, from its construction to its end.
struct Presence {
  float &sum;
  __device__ Presence(ConstItemView item, float &to) : sum(to) { sum += item ? 3 : 1; }
  __device__ explicit Presence(bool isThere, float *to) : sum(*to) { sum += isThere ? 2 : 1; }
  __device__ ~Presence() { sum += 4; }
};
struct Flag {
  bool value;
  __device__ explicit Flag(bool isThere) : value(isThere) {}
};

__device__ float valueAt(Reader reader) { return reader.at.value(); }
__device__ void raise(Cursor cursor) { cursor.at.value() += 1; }

__global__ void choose(ItemView items, ItemView out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int j = (i + 1) % n;
  const bool even = i % 2 == 0;
  const Item chosen = (even ? items + i : items + j).load();
  out.store(i, chosen);
  out.value(i) += (even ? items + i : items + j).value();
  (even ? out + i : out + i).weight() = chosen.weight + 1;
  ItemView picked = even ? items + i : items + j;
  out.key(i) += picked.key();
  auto bound = out + i;
  bound.value() *= 2;
  bool has = bool(find(items, n, 3));
  const bool known = bool(items + i);
  if (has && known)
    bound.value() += 3;
  if (ItemView found = find(items, n, i))
    bound.weight() += found.weight();
  ItemView none = n < 0 ? out : nullptr;
  bool isThere((bool(none))), isBehind((bool((out)))), isFound((bool(find(items, n, 3))));
  Flag flag((bool(none)));
  if (isThere || flag.value || !isBehind || !isFound)
    bound.value() += 100;
  float sum = 0;
  {
    Presence presence((ConstItemView(out)), sum);
    Presence other((bool(none)), &sum);
  }
  bound.value() += sum;
  raise(out + i);
  bound.value() += valueAt(ConstItemView(items + i)) + valueAt(ConstItemView(items + j));
}

__global__ void walk(ConstItemView in, ItemView out, int n) {
  if (threadIdx.x != 0 || blockIdx.x != 0)
    return;
  const ConstItemView end = in + n;
  while (in != end)
    (out++).store(0, (in++).load());
}

int main() {
  const int n = 64;
  Item host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, i, 2.0 * i};
  ItemView buffers[2];
  itemMalloc(&buffers[0], n * sizeof(Item));
  itemMalloc(&buffers[1], n * sizeof(Item));
  itemMemcpy(buffers[0], host, n * sizeof(Item), cudaMemcpyHostToDevice);
  choose<<<1, n>>>(buffers[0], buffers[1], n);
  walk<<<1, 1>>>(buffers[1], buffers[0], n);
  ItemView ends[] = {buffers[0], buffers[1]};
  for (int k = 0; k < 2; ++k) {
    itemMemcpy(host, ends[k], n * sizeof(Item), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += host[i].value + host[i].key + host[i].weight;
    std::printf("%.3f\n", sum);
  }
  itemFree(buffers[0]);
  itemFree(buffers[1]);
}
