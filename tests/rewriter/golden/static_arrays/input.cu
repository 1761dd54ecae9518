// Arrays in device memory, which kernels fill, and reach by name, by helpers and by pointers.
// clang-format off
#include <cstdio>

const int kCount = 256;
#define SPARE (2 * 32)

struct Particle {
  double x, y;
  float vx, vy;
  int cell;
  __device__ float speed() const { return vx * vx + vy * vy; }
};

__device__ Particle particles[kCount];
static __device__ struct Particle spare[SPARE] = {}, *last, older[kCount];
__device__ int hits[64];

__device__ void advance(Particle *p, float dt) {
  p->x += p->vx * dt;
  p->y += p->vy * dt;
}

__device__ float energy(const Particle &p) { return 0.5f * p.speed(); }

__device__ void damp(Particle &p, float by) { p.vx *= by; }

__device__ Particle *find(int i) { return &particles[i]; }
__device__ Particle *first() { return particles; }
__device__ auto begin() { return spare; }

__device__ double sumOf(const Particle *all, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += all[i].x;
  return total;
}

template <class T> __device__ int countOf(T from, T to) { return int(to - from); }

__global__ void fill() {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Particle *p = particles + i;
  p->x = i;
  p->y = 2 * i;
  p->vx = 1.0f / (1 + i);
  p->vy = 0.5f;
  p->cell = i % 64;
  if (i < SPARE)
    spare[i] = {0.5 * i, 1.0, 2.0f, 3.0f, i};
  if (i == 0)
    last = particles;
}

__global__ void move(float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  advance(&particles[i], dt);
  Particle &mine = particles[i];
  if (energy(particles[i]) > 0.13f)
    mine.cell = (mine.cell + 1) % 64;
  damp(particles[i], 0.5f);
  older[i] = particles[i];
  Particle copy = older[i];
  copy.y += particles[i].speed();
  particles[i] = copy;
  atomicAdd(&hits[particles[i].cell], 1);
  find(i)->y += 1;
  Particle *either = i % 2 ? particles : older;
  either[i].x += 1;
  (i % 2 ? &spare[i % SPARE] : older + i)->vx += 1;
  auto p = spare;
  auto q = particles;
  if (i < SPARE)
    (p + i)->vy = q[i].vx;
}

__global__ void total(double *out) {
  *out = sumOf(particles, 16) + sumOf(first() + 16, 16) + begin()->vx + particles->x + (*older).y +
         (particles + 3 - particles) + (find(2) == particles + 2) + (1 + spare)->x +
         sizeof(particles) / sizeof(particles[0]) + sizeof spare + countOf(particles, particles + 5) +
         (last - particles);
}

int main() {
  double *out;
  cudaMalloc(&out, sizeof(double));
  fill<<<kCount / 64, 64>>>();
  for (int s = 0; s < 3; ++s)
    move<<<kCount / 64, 64>>>(0.1f);
  total<<<1, 1>>>(out);
  Particle *device;
  cudaGetSymbolAddress((void **)&device, particles);
  Particle *host = new Particle[kCount];
  cudaMemcpy(host, device, kCount * sizeof(Particle), cudaMemcpyDeviceToHost);
  double result, sum = 0;
  cudaMemcpy(&result, out, sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < kCount; ++i)
    sum += host[i].x + host[i].y * 0.5 + host[i].cell;
  std::printf("%.17g %.17g\n", result, sum);
  cudaFree(out);
  delete[] host;
}
