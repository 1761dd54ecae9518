// Array members of elements that device code copies and sets as bytes.
#include <cstdio>
#include <cstring>
#include <vector>

struct Histogram {
  float bins[8];
  unsigned seen[4];
  int id;
};

__global__ void shift(Histogram *histograms, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float bins[8];
  memcpy(bins, histograms[i].bins, sizeof bins);
  for (int k = 0; k < 8; ++k)
    bins[k] += k * histograms[i].seen[k % 4];
  memcpy(histograms[i].bins, bins, sizeof(histograms[i].bins));
  memset(histograms[i].seen, 0, sizeof(unsigned) * 4);
  memcpy(histograms[i].bins, bins + 1, (i % 8) * sizeof(float));
  memcpy(&histograms[i].id, &i, sizeof i);
}

int main() {
  const int n = 300;
  std::vector<Histogram> host(n);
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 8; ++k)
      host[i].bins[k] = i;
    for (int k = 0; k < 4; ++k)
      host[i].seen[k] = k;
    host[i].id = -1;
  }
  Histogram *histograms = nullptr;
  cudaMalloc(&histograms, n * sizeof(Histogram));
  cudaMemcpy(histograms, host.data(), n * sizeof(Histogram), cudaMemcpyHostToDevice);
  shift<<<(n + 127) / 128, 128>>>(histograms, n);
  cudaMemcpy(host.data(), histograms, n * sizeof(Histogram), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Histogram &histogram : host)
    sum += histogram.bins[3] + histogram.bins[7] + histogram.seen[1] + histogram.id;
  std::printf("%f\n", sum);
  cudaFree(histograms);
}
