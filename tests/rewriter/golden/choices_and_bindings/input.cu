// Elements chosen, bound and copied in the ways that C++ has beside subscripts.
#include <cstdio>
#include <cuda_runtime.h>

struct Item {
  float value;
  int key;
  double weight;
};

struct Cursor {
  __device__ Cursor(Item *item) : at(item) {}
  Item *at;
};

struct Reader {
  __device__ Reader(const Item *item) : at(item) {}
  const Item *at;
};

__device__ Item *find(Item *items, int n, int key) {
  for (int i = 0; i < n; ++i)
    if (items[i].key == key)
      return items + i;
  return nullptr;
}

/// Counts what is there, from its construction to its end.
struct Presence {
  float &sum;
  __device__ Presence(const Item *item, float &to) : sum(to) { sum += item ? 3 : 1; }
  __device__ explicit Presence(bool isThere, float *to) : sum(*to) { sum += isThere ? 2 : 1; }
  __device__ ~Presence() { sum += 4; }
};
struct Flag {
  bool value;
  __device__ explicit Flag(bool isThere) : value(isThere) {}
};

__device__ float valueAt(Reader reader) { return reader.at->value; }
__device__ void raise(Cursor cursor) { cursor.at->value += 1; }

__global__ void choose(Item *items, Item *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int j = (i + 1) % n;
  const bool even = i % 2 == 0;
  const Item chosen = even ? items[i] : items[j];
  out[i] = chosen;
  out[i].value += (even ? items[i] : items[j]).value;
  (even ? out[i] : out[i]).weight = chosen.weight + 1;
  Item &picked = even ? items[i] : items[j];
  out[i].key += picked.key;
  auto &&bound = out[i];
  bound.value *= 2;
  bool has = find(items, n, 3);
  const bool known = &items[i];
  if (has && known)
    bound.value += 3;
  if (Item *found = find(items, n, i))
    bound.weight += found->weight;
  Item *none = n < 0 ? out : nullptr;
  bool isThere(none), isBehind((out)), isFound(find(items, n, 3));
  Flag flag(none);
  if (isThere || flag.value || !isBehind || !isFound)
    bound.value += 100;
  float sum = 0;
  {
    Presence presence((const Item *)out, sum);
    Presence other(none, &sum);
  }
  bound.value += sum;
  raise(out + i);
  bound.value += valueAt(items + i) + valueAt(&items[j]);
}

__global__ void walk(const Item *in, Item *out, int n) {
  if (threadIdx.x != 0 || blockIdx.x != 0)
    return;
  const Item *const end = in + n;
  while (in != end)
    *out++ = *in++;
}

int main() {
  const int n = 64;
  Item host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {0.5f * i, i, 2.0 * i};
  Item *buffers[2];
  cudaMalloc(&buffers[0], n * sizeof(Item));
  cudaMalloc(&buffers[1], n * sizeof(Item));
  cudaMemcpy(buffers[0], host, n * sizeof(Item), cudaMemcpyHostToDevice);
  choose<<<1, n>>>(buffers[0], buffers[1], n);
  walk<<<1, 1>>>(buffers[1], buffers[0], n);
  Item *ends[] = {buffers[0], buffers[1]};
  for (int k = 0; k < 2; ++k) {
    cudaMemcpy(host, ends[k], n * sizeof(Item), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (int i = 0; i < n; ++i)
      sum += host[i].value + host[i].key + host[i].weight;
    std::printf("%.3f\n", sum);
  }
  cudaFree(buffers[0]);
  cudaFree(buffers[1]);
}
