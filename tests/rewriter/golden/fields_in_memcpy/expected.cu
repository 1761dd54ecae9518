// Array members of elements that device code copies and sets as bytes.
#include <cstdio>
#include <cstring>
#include <vector>

struct Histogram {
  float bins[8];
  unsigned seen[4];
  int id;
};
#include "histogram_layout.h"

__global__ void shift(HistogramView histograms, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float bins[8];
  memcpy(bins, histograms.bins(i), sizeof bins);
  for (int k = 0; k < 8; ++k)
    bins[k] += k * histograms.seen(i)[k % 4];
  memcpy(histograms.bins(i), bins, sizeof(histograms.bins(i)));
  memset(histograms.seen(i), 0, sizeof(unsigned) * 4);
  memcpy(histograms.bins(i), bins + 1, (i % 8) * sizeof(float));
  memcpy(&histograms.id(i), &i, sizeof i);
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
  HistogramView histograms = nullptr;
  histogramMalloc(&histograms, n * sizeof(Histogram));
  histogramMemcpy(histograms, host.data(), n * sizeof(Histogram), cudaMemcpyHostToDevice);
  shift<<<(n + 127) / 128, 128>>>(histograms, n);
  histogramMemcpy(host.data(), histograms, n * sizeof(Histogram), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (const Histogram &histogram : host)
    sum += histogram.bins[3] + histogram.bins[7] + histogram.seen[1] + histogram.id;
  std::printf("%f\n", sum);
  histogramFree(histograms);
}
