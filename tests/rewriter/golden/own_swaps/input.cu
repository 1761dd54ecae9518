// Functions of the program's own that have names of the library's.
#include <cstdio>
#include <cuda_runtime.h>

struct Item {
  int key;
  float weight;
};

void move(Item *&a, Item *&b) {
  Item *c = a;
  a = b;
  b = c;
}

void exchange(Item **a, Item **b) {
  Item *c = *a;
  *a = *b;
  *b = c;
}

template <class T> void turn(T &a, T &b) {
  T c = a;
  a = b;
  b = c;
}

__device__ void swap(Item &a, Item &b) {
  Item t = a;
  a = b;
  b = t;
}

__global__ void sort(Item *items, int j, int k) {
  const int i = threadIdx.x, other = i ^ j;
  if (other > i && ((i & k) == 0) == (items[i].key > items[other].key))
    swap(items[i], items[other]);
}

__global__ void weigh(const Item *from, Item *to) {
  const int i = threadIdx.x;
  to[i].key = from[i].key;
  to[i].weight = from[i].weight + 1;
}

void onHost(Item *from, Item *to, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = from[i];
  turn(from, to);
  std::printf("%d\n", from[0].key + to[n - 1].key);
}

int main() {
  const int n = 64;
  Item other[n];
  Item host[n];
  for (int i = 0; i < n; ++i)
    host[i] = {i * 37 % n, 0.5f * i};
  Item *now, *next;
  cudaMalloc(&now, sizeof(host));
  cudaMalloc(&next, sizeof(host));
  cudaMemcpy(now, host, sizeof(host), cudaMemcpyHostToDevice);
  for (int k = 2; k <= n; k *= 2)
    for (int j = k / 2; j > 0; j /= 2)
      sort<<<1, n>>>(now, j, k);
  for (int step = 0; step < 3; ++step) {
    weigh<<<1, n>>>(now, next);
    if (step == 1)
      move(now, next);
    else
      exchange(&now, &next);
    turn(now, next);
  }
  onHost(host, other, n);
  cudaMemcpy(host, now, sizeof(host), cudaMemcpyDeviceToHost);
  for (const Item &item : host)
    std::printf("%d %g\n", item.key, item.weight);
  cudaFree(now);
  cudaFree(next);
}
