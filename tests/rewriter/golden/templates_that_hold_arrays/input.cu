// Host templates that are called with their arguments, and hold the arrays themselves.
// clang-format off
#include <cstdio>
#include <vector>

template <typename T> __global__ void advance(T *items, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    items[i].x += 2 * items[i].v;
}

struct Particle {
  float x, v;
  int id;
};

struct Planet {
  double x, v;
};

enum class Say { Nothing, All };

template <typename T, int kSteps, Say kSay>
static double simulate(const char *name, int n, const bool prints = false) {
  std::vector<T> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].x = i;
    host[i].v = 0.5f * (i % 7);
  }
  T *items;
  cudaMalloc(&items, n * sizeof(T));
  cudaMemcpy(items, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  for (int k = 0; k < kSteps; ++k)
    advance<<<(n + 63) / 64, 64>>>(items, n);
  cudaMemcpy(host.data(), items, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(items);
  double sum = 0;
  for (const T &item : host)
    sum += item.x;
  if (prints && kSay == Say::All)
    std::printf("%s %.9g\n", name, sum);
  return sum;
}

template <typename T> void both(int n) {
  simulate<T, 4, Say::All>("four", n, true);
}

int main() {
  double sum = simulate<Particle, 1, Say::Nothing>("one", 300) +
               simulate<Particle, 2, Say::All>("two", 300, true);
  sum += simulate<Planet, 2, Say::All>("two", 300);
  both<Particle>(100);
  std::printf("%.9g\n", sum);
}
