// A template's instance whose address is taken gets a name of its own; the types of pointers to it
// follow.
// clang-format off
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

struct Grain {
  float mass, charge;
};
#include "grain_layout.h"

struct Speck {
  float mass, charge;
};

template <class T> __global__ void weigh(const T *grains, int n, float *total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(total, grains[i].mass + grains[i].charge);
}

__global__ void weigh(ConstGrainView grains, int n, float *total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(total, grains.mass(i) + grains.charge(i));
}

template <class T> float launch(T *grains, int n, float *total, bool twice) {
  for (int k = 0; k < 1 + twice; ++k)
    weigh<<<n / 128 + 1, 128>>>(grains, n, total);
  return twice ? 2.0f : 1.0f;
}

float grainLaunch(GrainView grains, int n, float *total, bool twice) {
  for (int k = 0; k < 1 + twice; ++k)
    weigh<<<n / 128 + 1, 128>>>(grains, n, total);
  return twice ? 2.0f : 1.0f;
}

template <int Runs, class T>
void time(std::vector<std::pair<std::string, float>> &times, T *grains, int n, float *total, const char *name,
          float (*run)(T *, int, float *, bool)) {
  float sum = (*run)(grains, n, total, true);
  for (int i = 0; i < Runs; ++i)
    sum += run(grains, n, total, false);
  times.push_back(std::pair<std::string, float>(name, sum));
}

void time(std::vector<std::pair<std::string, float>> &times, GrainView grains, int n, float *total, const char *name,
          float (*run)(GrainView, int, float *, bool)) {
  float sum = (*run)(grains, n, total, true);
  for (int i = 0; i < 3; ++i)
    sum += run(grains, n, total, false);
  times.push_back(std::pair<std::string, float>(name, sum));
}

template <int Runs, class T> void timeAll(T *grains, int n, float *total) {
  std::vector<std::pair<std::string, float>> times;
  time<Runs>(times, grains, n, total, "plain", launch<T>);
  std::printf("%s %f\n", times[0].first.c_str(), times[0].second);
}

void timeAll(GrainView grains, int n, float *total) {
  std::vector<std::pair<std::string, float>> times;
  time(times, grains, n, total, "plain", grainLaunch);
  std::printf("%s %f\n", times[0].first.c_str(), times[0].second);
}

int main() {
  const int n = 1000;
  std::vector<Grain> grains(n, Grain{1, 2});
  std::vector<Speck> specks(n, Speck{3, 4});
  GrainView d_grains;
  Speck *d_specks;
  float *total, sum = 0;
  grainMalloc(&d_grains, n * sizeof(Grain));
  cudaMalloc(&d_specks, n * sizeof(Speck));
  cudaMalloc(&total, sizeof(float));
  grainMemcpy(d_grains, grains.data(), n * sizeof(Grain), cudaMemcpyHostToDevice);
  cudaMemcpy(d_specks, specks.data(), n * sizeof(Speck), cudaMemcpyHostToDevice);
  cudaMemcpy(total, &sum, sizeof(float), cudaMemcpyHostToDevice);
  timeAll(d_grains, n, total);
  timeAll<3>(d_specks, n, total);
  float (*how)(GrainView, int, float *, bool) = &grainLaunch;
  how(d_grains, n, total, false);
  cudaMemcpy(&sum, total, sizeof(float), cudaMemcpyDeviceToHost);
  std::printf("%f\n", sum);
  grainFree(d_grains);
  cudaFree(d_specks);
  cudaFree(total);
}
