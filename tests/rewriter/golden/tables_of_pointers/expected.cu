// Tables of pointers in memory that the host makes.
// clang-format off
#include <cstdio>
#include <cstdlib>

#include "double_layout.h"

struct Page {
  float a, b;
  int key;
};
#include "page_layout.h"

struct Caches {
  PageView *keys;
  ConstPageView *shown = nullptr;
  DoubleView *sums;
};

template <class T> void fill(T **pages, int n, size_t length) {
  T **temporary = static_cast<T **>(malloc(sizeof(T *) * n));
  for (int k = 0; k < n; ++k) {
    cudaMalloc(&temporary[k], length * sizeof(T));
    pages[k] = temporary[k];
  }
  free(temporary);
}

void fill(PageView *pages, int n, size_t length) {
  PageView *temporary = static_cast<PageView *>(malloc(sizeof(PageView) * n));
  for (int k = 0; k < n; ++k) {
    pageMalloc(&temporary[k], length * sizeof(Page));
    pages[k] = temporary[k];
  }
  free(temporary);
}

__global__ void step(PageView page, ConstPageView other, DoubleView sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    page.a(i) += other.b(i);
    page.key(i) += i;
    sums[i] += page.a(i);
  }
}

__global__ void gather(PageView *pages, float *out, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; i < n && k < count; ++k)
    out[i] += pages[k].a(i) * pages[k].key(i);
}

int main(int argc, char **) {
  const int n = 300, layers = argc + 2;
  Page *host = (Page *)malloc(n * sizeof(Page));
  for (int i = 0; i < n; ++i) {
    host[i].a = i;
    host[i].b = 0.5f;
    host[i].key = i % 7;
  }
  Caches caches;
  caches.keys = (PageView *)malloc(layers * sizeof(PageView));
  if (!caches.keys || caches.keys == NULL)
    return 1;
  caches.sums = new DoubleView[layers];
  PageView *keys = caches.keys;
  ConstPageView *shown = (ConstPageView *)calloc(layers, sizeof(ConstPageView));
  auto rest = new PageView[layers]();
  fill(rest, layers, n);
  for (int k = 0; k < layers; ++k) {
    pageMalloc(&keys[k], n * sizeof(Page));
    doubleMalloc(&caches.sums[k], n * sizeof(double));
    doubleMemset(caches.sums[k], 0, n * sizeof(double));
    pageMemcpy(caches.keys[k], host, n * sizeof(Page), cudaMemcpyHostToDevice);
    pageMemcpy(rest[k], keys[k], n * sizeof(Page), cudaMemcpyDeviceToDevice);
    shown[k] = rest[k];
  }
  caches.shown = shown;
  for (int k = 0; k < layers; ++k)
    step<<<(n + 127) / 128, 128>>>(keys[k], caches.shown[k], caches.sums[k], n);
  PageView *onDevice;
  float *out, found[n];
  double sums[n];
  cudaMalloc(&onDevice, layers * sizeof(*keys));
  cudaMemcpy(onDevice, keys, layers * sizeof(PageView), cudaMemcpyHostToDevice);
  cudaMalloc(&out, sizeof(found));
  cudaMemset(out, 0, sizeof(found));
  gather<<<(n + 127) / 128, 128>>>(onDevice, out, layers, n);
  cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost);
  doubleMemcpy(sums, caches.sums[1], sizeof(sums), cudaMemcpyDeviceToHost);
  pageMemcpy(host, keys[1], n * sizeof(Page), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %d\n", found[3], sums[7], host[9].a, host[11].key);
  for (int k = 0; k < layers; ++k) {
    pageFree(keys[k]);
    pageFree(rest[k]);
    doubleFree(caches.sums[k]);
  }
  free((void *)caches.keys);
  std::free(shown);
  delete[] caches.sums;
  delete[] rest;
  free(host);
}
