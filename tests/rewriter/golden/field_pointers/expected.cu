// Pointers to fields that variables keep and functions are given.
// clang-format off
#include <cstdio>

struct Vec {
  float x, y, z;
  __host__ __device__ float length2() const { return x * x + y * y + z * z; }
  __host__ __device__ void scale(float s) { x *= s; y *= s; z *= s; }
};

struct Atom {
  float at[3];
  Vec velocity;
  float charge;
  short kind;
  float frame[2][2];
};
#include "atom_layout.h"

struct Node {
  int left, hits;
  double key;
};
#include "node_layout.h"

__device__ void normalise(Vec *v) {
  float l = rsqrtf(v->length2() + 1);
  v->scale(l);
  v->x += 1;
}

__device__ float total(const float *values, int n) {
  float sum = 0;
  for (const float *v = values; v < values + n; ++v)
    sum += *v;
  return sum + values[0];
}

__device__ void count(int *hits, int by) { *hits += by; }

__global__ void step(AtomView a, NodeView nodes, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float *at = a.at(i);
  Vec *v = &a.velocity(i);
  normalise(v);
  normalise(&a.velocity(i));
  for (int k = 0; k < 3; ++k)
    at[k] += 0.5f * (&v->x)[0];
  float *charge = &a.charge(i);
  charge[0] *= 2;
  float *row = a.frame(i)[1];
  row[1] += row[0];
  float(*frame)[2] = a.frame(i);
  frame[0][1] = frame[1][1];
  short *kind;
  kind = &a.kind(i);
  if (kind)
    *kind += 1;
  int *hits = &nodes.hits(i);
  atomicAdd(hits, 3);
  count(i % 2 ? hits : &nodes.left(i), 2);
  double *first = &nodes.key(0);
  atomicAdd(first, 1.0);
  sums[i] = total(a.at(i), 3) + total(&a.at(i)[0], 2);
}

__global__ void read(ConstAtomView a, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float *at = a.at(i);
    const Vec *v = &a.velocity(i);
    const float *y = &a.velocity(i).y;
    sums[i] += at[2] + total(a.at(i), 3) + *y + v->length2();
  }
}

int main() {
  const int n = 100;
  Atom atoms[n];
  Node nodes[n];
  float sums[n];
  for (int i = 0; i < n; ++i) {
    atoms[i] = {{1.0f * i, 1, 2}, {1, 0.5f * i, 3}, 1, short(i), {{1, 2}, {3, 4}}};
    nodes[i] = {i, 0, 0.5};
  }
  AtomView a;
  NodeView d;
  float *s;
  atomMalloc(&a, sizeof(atoms));
  nodeMalloc(&d, sizeof(nodes));
  cudaMalloc(&s, sizeof(sums));
  atomMemcpy(a, atoms, sizeof(atoms), cudaMemcpyHostToDevice);
  nodeMemcpy(d, nodes, sizeof(nodes), cudaMemcpyHostToDevice);
  step<<<1, 128>>>(a, d, s, n);
  read<<<1, 128>>>(a, s, n);
  atomMemcpy(atoms, a, sizeof(atoms), cudaMemcpyDeviceToHost);
  nodeMemcpy(nodes, d, sizeof(nodes), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, s, sizeof(sums), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += atoms[i].at[2] + atoms[i].velocity.y + atoms[i].charge + atoms[i].kind +
           atoms[i].frame[0][1] + nodes[i].left + nodes[i].hits + nodes[i].key + sums[i];
  std::printf("%.9g\n", sum);
}
