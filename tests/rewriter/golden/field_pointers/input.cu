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

struct Node {
  int left, hits;
  double key;
};

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

__global__ void step(Atom *a, Node *nodes, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float *at = a[i].at;
  Vec *v = &a[i].velocity;
  normalise(v);
  normalise(&a[i].velocity);
  for (int k = 0; k < 3; ++k)
    at[k] += 0.5f * (&v->x)[0];
  float *charge = &a[i].charge;
  charge[0] *= 2;
  float *row = a[i].frame[1];
  row[1] += row[0];
  float(*frame)[2] = a[i].frame;
  frame[0][1] = frame[1][1];
  short *kind;
  kind = &a[i].kind;
  if (kind)
    *kind += 1;
  int *hits = &nodes[i].hits;
  atomicAdd(hits, 3);
  count(i % 2 ? hits : &nodes[i].left, 2);
  double *first = &nodes[0].key;
  atomicAdd(first, 1.0);
  sums[i] = total(a[i].at, 3) + total(&a[i].at[0], 2);
}

__global__ void read(const Atom *a, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float *at = a[i].at;
    const Vec *v = &a[i].velocity;
    const float *y = &a[i].velocity.y;
    sums[i] += at[2] + total(a[i].at, 3) + *y + v->length2();
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
  Atom *a;
  Node *d;
  float *s;
  cudaMalloc(&a, sizeof(atoms));
  cudaMalloc(&d, sizeof(nodes));
  cudaMalloc(&s, sizeof(sums));
  cudaMemcpy(a, atoms, sizeof(atoms), cudaMemcpyHostToDevice);
  cudaMemcpy(d, nodes, sizeof(nodes), cudaMemcpyHostToDevice);
  step<<<1, 128>>>(a, d, s, n);
  read<<<1, 128>>>(a, s, n);
  cudaMemcpy(atoms, a, sizeof(atoms), cudaMemcpyDeviceToHost);
  cudaMemcpy(nodes, d, sizeof(nodes), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, s, sizeof(sums), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += atoms[i].at[2] + atoms[i].velocity.y + atoms[i].charge + atoms[i].kind +
           atoms[i].frame[0][1] + nodes[i].left + nodes[i].hits + nodes[i].key + sums[i];
  std::printf("%.9g\n", sum);
}
