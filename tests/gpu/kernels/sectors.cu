// SPDX-License-Identifier: Apache-2.0
// Micro-kernels in which every access to global memory is one load, store or reduction of a
// record's field: the sectors that a trace of them touches must be those that the hardware counts.
// Each writes one result a thread, so that no load is left out.
//   sectors [elements]
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
struct Triple { // 12 bytes: elements lie across sectors
  float x, y, z;
};
struct Mixed { // 24 bytes
  char tag;
  short kind;
  int count;
  double energy;
  float weight;
};
struct Pair { // 16 bytes, fields of 8
  double re, im;
};
struct alignas(16) Quad {
  float a, b, c, d;
};
struct Index {
  int at;
};
struct Out {
  float value;
};
struct Bin {
  int count, pad;
};

__device__ int thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void oneField(const Body *bodies, Out *out, int n) {
  const int i = thread();
  if (i < n)
    out[i].value = 2.0f * bodies[i].mass;
}
__global__ void allFields(const Body *bodies, Out *out, int n) {
  const int i = thread();
  if (i >= n)
    return;
  const Body &b = bodies[i];
  out[i].value = b.x + b.y + b.z + b.mass + b.vx + b.vy + b.vz + b.charge;
}
__global__ void gather(const Body *bodies, const Index *index, Out *out, int n) {
  const int i = thread();
  if (i >= n)
    return;
  const int k = index[i].at;
  out[i].value = bodies[k].x * bodies[k].vx;
}
__global__ void strided(const Body *bodies, Out *out, int n) {
  const int i = thread();
  if (3 * i < n)
    out[i].value = bodies[3 * i].y;
}
__global__ void broadcast(const Body *bodies, Out *out, int n) {
  const int i = thread();
  if (i < n)
    out[i].value = bodies[i / 64].z;
}
__global__ void acrossSectors(const Triple *triples, Out *out, int n) {
  const int i = thread();
  if (i < n)
    out[i].value = triples[i].x + triples[i].z;
}
__global__ void mixedSizes(const Mixed *mixed, Out *out, int n) {
  const int i = thread();
  if (i < n)
    out[i].value = static_cast<float>(mixed[i].tag + mixed[i].kind + mixed[i].count +
                                      mixed[i].energy + mixed[i].weight);
}
__global__ void doubles(const Pair *pairs, Out *out, int n) {
  const int i = thread();
  if (i < n)
    out[i].value = static_cast<float>(pairs[i].re * pairs[i].im);
}
__global__ void gatheredDoubles(const Pair *pairs, const Index *index, Out *out, int n) {
  const int i = thread();
  if (i < n)
    out[i].value = static_cast<float>(pairs[index[i].at].im);
}
// Whole records of 16 bytes: one load each.
__global__ void wholeQuads(const Quad *quads, Out *out, int n) {
  const int i = thread();
  if (i >= n)
    return;
  const Quad q = quads[i];
  out[i].value = q.a + q.b + q.c + q.d;
}
__global__ void gatheredQuads(const Quad *quads, const Index *index, Out *out, int n) {
  const int i = thread();
  if (i >= n)
    return;
  const Quad q = quads[index[i].at];
  out[i].value = q.a + q.b + q.c + q.d;
}
__global__ void divergent(const Body *bodies, const Index *index, Out *out, int n) {
  const int i = thread();
  if (i >= n)
    return;
  float value;
  if (index[i].at & 1)
    value = bodies[i].x * bodies[i].y;
  else
    value = bodies[i].vz;
  out[i].value = value;
}
__global__ void unequalTrips(const Body *bodies, const Index *index, Out *out, int n) {
  const int i = thread();
  if (i >= n)
    return;
  const int at = index[i].at;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < at % 7; ++k)
    sum += bodies[(at + 5 * k) % n].mass;
  out[i].value = sum;
}
__global__ void update(Body *bodies, int n) {
  const int i = thread();
  if (i < n)
    bodies[i].vx += 1.0f;
}
__global__ void scatter(Body *bodies, const Index *index, int n) {
  const int i = thread();
  if (i < n)
    bodies[index[i].at].charge = 1.0f;
}
__global__ void crowdedReduction(Quad *quads, const Index *index, int n, int quadCount) {
  const int i = thread();
  if (i < n)
    atomicAdd(&quads[index[i].at % quadCount].c, 1.0f);
}
__global__ void tickets(Bin *bins, const Index *index, Out *out, int n, int binCount) {
  const int i = thread();
  if (i < n)
    out[i].value = static_cast<float>(atomicAdd(&bins[index[i].at % binCount].count, 1));
}
__global__ void reduction(Bin *bins, const Index *index, int n, int binCount) {
  const int i = thread();
  if (i < n)
    atomicAdd(&bins[index[i].at % binCount].count, 1);
}

template <class T> T *allocate(std::size_t count) {
  T *memory = nullptr;
  CHECK(cudaMalloc(&memory, count * sizeof(T)));
  CHECK(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 100003; // a last warp that is not full
  const int binCount = 1021;
  std::vector<Index> host(n);
  unsigned state = 1;
  for (Index &index : host) {
    state = state * 1664525u + 1013904223u;
    index.at = static_cast<int>((state >> 8) % static_cast<unsigned>(n));
  }
  Body *bodies = allocate<Body>(n);
  Triple *triples = allocate<Triple>(n);
  Mixed *mixed = allocate<Mixed>(n);
  Pair *pairs = allocate<Pair>(n);
  Quad *quads = allocate<Quad>(n);
  Out *out = allocate<Out>(n);
  Bin *bins = allocate<Bin>(binCount);
  Index *index = allocate<Index>(n);
  CHECK(cudaMemcpy(index, host.data(), n * sizeof(Index), cudaMemcpyHostToDevice));
  const int threads = 96; // three warps a block
  const int blocks = (n + threads - 1) / threads;
  oneField<<<blocks, threads>>>(bodies, out, n);
  allFields<<<blocks, threads>>>(bodies, out, n);
  gather<<<blocks, threads>>>(bodies, index, out, n);
  strided<<<blocks, threads>>>(bodies, out, n);
  broadcast<<<blocks, threads>>>(bodies, out, n);
  acrossSectors<<<blocks, threads>>>(triples, out, n);
  mixedSizes<<<blocks, threads>>>(mixed, out, n);
  doubles<<<blocks, threads>>>(pairs, out, n);
  gatheredDoubles<<<blocks, threads>>>(pairs, index, out, n);
  wholeQuads<<<blocks, threads>>>(quads, out, n);
  gatheredQuads<<<blocks, threads>>>(quads, index, out, n);
  divergent<<<blocks, threads>>>(bodies, index, out, n);
  unequalTrips<<<blocks, threads>>>(bodies, index, out, n);
  update<<<blocks, threads>>>(bodies, n);
  scatter<<<blocks, threads>>>(bodies, index, n);
  reduction<<<blocks, threads>>>(bins, index, n, binCount);
  crowdedReduction<<<blocks, threads>>>(quads, index, n, 61);
  tickets<<<blocks, threads>>>(bins, index, out, n, binCount);
  CHECK(cudaDeviceSynchronize());
  std::vector<Out> result(n);
  CHECK(cudaMemcpy(result.data(), out, n * sizeof(Out), cudaMemcpyDeviceToHost));
  std::vector<Bin> counted(binCount);
  CHECK(cudaMemcpy(counted.data(), bins, binCount * sizeof(Bin), cudaMemcpyDeviceToHost));
  long total = 0;
  for (const Bin &bin : counted)
    total += bin.count;
  std::printf("%d elements, %ld counted\n", n, total);
  for (void *memory :
       {static_cast<void *>(bodies), static_cast<void *>(triples), static_cast<void *>(mixed),
        static_cast<void *>(pairs), static_cast<void *>(quads), static_cast<void *>(out),
        static_cast<void *>(bins), static_cast<void *>(index)})
    CHECK(cudaFree(memory));
  return 0;
}
