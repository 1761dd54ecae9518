// Tables of pointers in memory that the host makes.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Page {
  float a, b;
  int key;
};

struct Caches {
  Page **keys;
  const Page **shown = nullptr;
  double **sums;
};

template <class T> void fill(T **pages, int n, size_t length) {
  T **temporary = static_cast<T **>(malloc(sizeof(T *) * n));
  for (int k = 0; k < n; ++k) {
    cudaMalloc(&temporary[k], length * sizeof(T));
    pages[k] = temporary[k];
  }
  free(temporary);
}

__global__ void step(Page *page, const Page *other, double *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    page[i].a += other[i].b;
    page[i].key += i;
    sums[i] += page[i].a;
  }
}

__global__ void gather(Page **pages, float *out, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; i < n && k < count; ++k)
    out[i] += pages[k][i].a * pages[k][i].key;
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
  caches.keys = (Page **)malloc(layers * sizeof(Page *));
  if (!caches.keys || caches.keys == NULL)
    return 1;
  caches.sums = new double *[layers];
  Page **keys = caches.keys;
  const Page **shown = (const Page **)calloc(layers, sizeof(const Page *));
  auto rest = new Page *[layers]();
  fill(rest, layers, n);
  for (int k = 0; k < layers; ++k) {
    cudaMalloc((void **)&keys[k], n * sizeof(Page));
    cudaMalloc(&caches.sums[k], n * sizeof(double));
    cudaMemset(caches.sums[k], 0, n * sizeof(double));
    cudaMemcpy(caches.keys[k], host, n * sizeof(Page), cudaMemcpyHostToDevice);
    cudaMemcpy(rest[k], keys[k], n * sizeof(Page), cudaMemcpyDeviceToDevice);
    shown[k] = rest[k];
  }
  caches.shown = shown;
  for (int k = 0; k < layers; ++k)
    step<<<(n + 127) / 128, 128>>>(keys[k], caches.shown[k], caches.sums[k], n);
  Page **onDevice;
  float *out, found[n];
  double sums[n];
  cudaMalloc(&onDevice, layers * sizeof(*keys));
  cudaMemcpy(onDevice, keys, layers * sizeof(Page *), cudaMemcpyHostToDevice);
  cudaMalloc(&out, sizeof(found));
  cudaMemset(out, 0, sizeof(found));
  gather<<<(n + 127) / 128, 128>>>(onDevice, out, layers, n);
  cudaMemcpy(found, out, sizeof(found), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, caches.sums[1], sizeof(sums), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, keys[1], n * sizeof(Page), cudaMemcpyDeviceToHost);
  std::printf("%g %g %g %d\n", found[3], sums[7], host[9].a, host[11].key);
  for (int k = 0; k < layers; ++k) {
    cudaFree(keys[k]);
    cudaFree(rest[k]);
    cudaFree(caches.sums[k]);
  }
  free((void *)caches.keys);
  std::free(shown);
  delete[] caches.sums;
  delete[] rest;
  free(host);
}
