// SPDX-License-Identifier: Apache-2.0
// Micro-kernels for the tracing test: each strains the recorder in a way of its own. Plain CUDA, so
// that `relayout` traces it on the CPU and `relayout cc` on the GPU, and both can be compared.
//   micro [bodies] [repeats]    prints each kernel's median time in ms and a checksum
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Body {
  float x, y, z, mass, vx, vy, vz, charge;
};

struct Bin {
  int count;
  float weight;
};

// One field of many, one access a thread.
__global__ void oneField(const Body *bodies, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2.0f * bodies[i].mass;
}

// All fields, nine accesses a thread.
__global__ void allFields(Body *bodies, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float sum = bodies[i].x + bodies[i].y + bodies[i].z + bodies[i].mass + bodies[i].vx +
                    bodies[i].vy + bodies[i].vz;
  bodies[i].charge = sum;
}

__global__ void gather(const Body *bodies, const int *index, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const int k = index[i];
  out[i] = bodies[k].x * bodies[k].vx;
}

// Lanes part and meet again; inside, they part once more.
__global__ void divergence(const Body *bodies, const int *index, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0.0f;
  if (index[i] & 1) {
    sum += bodies[i].x;
    if (index[i] & 2)
      sum *= bodies[i].y;
    sum += bodies[i].z;
  } else {
    sum -= bodies[i].vx;
  }
  out[i] = sum + bodies[i].mass;
}

// Lanes leave one by one, at two places.
__global__ void earlyExit(const Body *bodies, const int *index, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float first = bodies[i].x;
  if (index[i] % 3 == 0)
    return;
  const float second = bodies[i].y;
  if (index[i] % 5 == 0)
    return;
  out[i] = first + second + bodies[i].z;
}

__device__ float pull(const Body &a, const Body &b) {
  const float dx = a.x - b.x;
  const float dy = a.y - b.y;
  return b.mass / (dx * dx + dy * dy + 1.0f);
}

// A loop whose trip count differs from lane to lane, around a call.
__global__ void unequalTrips(const Body *bodies, const int *index, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0.0f;
  for (int k = 0; k < index[i] % 7; ++k)
    sum += pull(bodies[i], bodies[(index[i] + k) % n]);
  out[i] = sum;
}

// Lanes leave a loop in every possible way and reconverge after it.
__global__ void manyWays(const Body *bodies, const int *index, float *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = 0.0f;
  for (int k = 0; k < 6; ++k) {
    const Body &b = bodies[(index[i] + k) % n];
    sum += b.x;
    if (index[i] % 5 == k)
      break;
    if ((index[i] & 1) == 0 && b.y > 40.0f)
      continue;
    sum += b.z > 50.0f || b.mass > 1.5f ? b.vx : b.vy;
    if (index[i] % 31 == 7)
      return;
    sum += b.charge;
  }
  out[i] = sum + bodies[i].vz;
}

// Nested loops with trip counts that differ between lanes, and accesses before, between and after.
__global__ void nestedTrips(Body *bodies, const int *index, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = bodies[i].x;
  for (int k = 0; k < index[i] % 4; ++k) {
    int j = index[i] % 3;
    sum += bodies[(i + k) % n].y;
    do {
      sum += bodies[(i + j) % n].z;
      bodies[i].charge += 1.0f;
    } while (j-- > 0);
    switch (index[(i + k) % n] % 3) {
    case 0:
      sum += bodies[i].vx;
      [[fallthrough]];
    case 1:
      sum += bodies[i].vy;
      break;
    default:
      continue;
    }
    sum += bodies[i].mass;
  }
  bodies[i].vz = sum;
}

__global__ void atomics(const Body *bodies, Bin *bins, const int *index, int n, int binCount) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(&bins[index[i] % binCount].count, static_cast<int>(bodies[i].mass));
}

__global__ void wholeCopies(const Body *from, Body *to, const int *index, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Body b = from[index[i]];
  b.x += 1.0f;
  to[i] = b;
}

template <class Launch> void timed(const char *name, int repeats, Launch launch) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < repeats; ++i) {
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    times.push_back(ms);
  }
  CHECK(cudaGetLastError());
  std::sort(times.begin(), times.end());
  std::fprintf(stderr, "time %s %.5f\n", name, times[times.size() / 2]);
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 3000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 1;
  const int binCount = 1024;
  std::vector<Body> host(n);
  std::vector<int> index(n);
  unsigned state = 1;
  for (int i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    index[i] = static_cast<int>((state >> 8) % static_cast<unsigned>(n));
    const float v = static_cast<float>(i % 97);
    host[i] = {v, v + 1, v + 2, 1 + v / 97, -v, 2 * v, 3 * v, 0};
  }
  Body *bodies = nullptr, *copies = nullptr;
  Bin *bins = nullptr;
  float *out = nullptr;
  int *indices = nullptr;
  CHECK(cudaMalloc(&bodies, n * sizeof(Body)));
  CHECK(cudaMalloc(&copies, n * sizeof(Body)));
  CHECK(cudaMalloc(&bins, binCount * sizeof(Bin)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMalloc(&indices, n * sizeof(int)));
  CHECK(cudaMemcpy(bodies, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(indices, index.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  CHECK(cudaMemset(bins, 0, binCount * sizeof(Bin)));
  CHECK(cudaMemset(out, 0, n * sizeof(float)));

  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  std::vector<float> result(n);
  double checksum = 0.0;
  const auto collect = [&] {
    CHECK(cudaMemcpy(result.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; ++i)
      checksum += result[i];
  };
  timed("oneField", repeats, [&] { oneField<<<blocks, threads>>>(bodies, out, n); });
  collect();
  timed("allFields", repeats, [&] { allFields<<<blocks, threads>>>(bodies, n); });
  timed("gather", repeats, [&] { gather<<<blocks, threads>>>(bodies, indices, out, n); });
  collect();
  timed("divergence", repeats, [&] { divergence<<<blocks, threads>>>(bodies, indices, out, n); });
  collect();
  timed("earlyExit", repeats, [&] { earlyExit<<<blocks, threads>>>(bodies, indices, out, n); });
  collect();
  timed("unequalTrips", repeats,
        [&] { unequalTrips<<<blocks, threads>>>(bodies, indices, out, n); });
  collect();
  timed("manyWays", repeats, [&] { manyWays<<<blocks, threads>>>(bodies, indices, out, n); });
  collect();
  timed("nestedTrips", repeats, [&] { nestedTrips<<<blocks, threads>>>(bodies, indices, n); });
  timed("atomics", repeats,
        [&] { atomics<<<blocks, threads>>>(bodies, bins, indices, n, binCount); });
  timed("wholeCopies", repeats,
        [&] { wholeCopies<<<blocks, threads>>>(bodies, copies, indices, n); });
  std::vector<Body> copied(n);
  CHECK(cudaMemcpy(copied.data(), copies, n * sizeof(Body), cudaMemcpyDeviceToHost));
  std::vector<Bin> counted(binCount);
  CHECK(cudaMemcpy(counted.data(), bins, binCount * sizeof(Bin), cudaMemcpyDeviceToHost));
  for (const Body &b : copied)
    checksum += b.x + b.charge;
  for (const Bin &bin : counted)
    checksum += bin.count;
  std::printf("checksum %.6e\n", checksum);
  CHECK(cudaFree(bodies));
  CHECK(cudaFree(copies));
  CHECK(cudaFree(bins));
  CHECK(cudaFree(out));
  CHECK(cudaFree(indices));
  return 0;
}
