// Elements that their own operators and methods change.
// clang-format off
#include <cstdio>

struct Vec3 {
  float x, y, z;
  __host__ __device__ Vec3 &operator+=(const Vec3 &b) {
    x += b.x;
    y += b.y;
    z += b.z;
    return *this;
  }
  __host__ __device__ float length() const { return sqrtf(x * x + y * y + z * z); }
};

__host__ __device__ Vec3 operator*(const Vec3 &a, float s) { return {a.x * s, a.y * s, a.z * s}; }

struct Particle {
  Vec3 pos, vel;
  float mass;
  int hits;

  __host__ __device__ void advance(float dt) {
    pos += vel * dt;
    if (pos.x > 10)
      pos.x -= 10;
  }
  __host__ __device__ void scale(float s) {
    mass *= s;
    for (int k = 0; k < 2; ++k)
      mass += clampedTo(s);
  }
  __host__ __device__ float lighter(float by) {
    mass -= by;
    return mass;
  }
  __host__ __device__ float clampedTo(float s) { return mass > s ? s : mass; }
};

__host__ __device__ Particle &operator<<=(Particle &p, int n) {
  p.hits = p.hits << n;
  return p;
}

__host__ __device__ float next(int &state) {
  state = state * 1103515245 + 12345;
  return (state >> 16 & 1023) / 1024.0f;
}

__host__ __device__ Vec3 &operator-=(Vec3 &a, const Vec3 &b) {
  a.x -= b.x;
  a.y -= b.y;
  a.z -= b.z;
  return a;
}

__global__ void step(Particle *p, Vec3 *force, const Vec3 *wind, int *index, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  force[i] += wind[i];
  force[i] += force[i];
  p[i].vel += force[i] * dt;
  p[i].advance(dt);
  Particle *own = p + i;
  if (own->mass > 1)
    own->scale(0.5f);
  else
    (*own) <<= 1;
  for (int k = 0; k < 2; ++k)
    p[index[i]].scale(1.0f + k);
  (p + index[i])->scale(0.75f);
  atomicAdd(&p[0].hits, 1);
  int state = i;
  for (int k = 0; k < 2; ++k)
    force[i] += Vec3{next(state), 1, 0};
    force[i] -= Vec3{next(state), 0, 1};
  float least = 0;
  least = p[i].lighter(0.125f);
  force[i].y += least;
  force[i].z += p[i].clampedTo(0.5f) + own->clampedTo(2.0f);
}

// All of its arrays change, as the loops are over all elements.
struct Flow {
  float mass, moments[3], stress[2][3];
  __host__ __device__ Flow &operator+=(const Flow &o) {
    mass += o.mass;
    for (int d = 0; d < 3; ++d) {
      moments[d] += o.moments[d];
      for (int k = 0; k < 2; k++)
        stress[k][d] -= o.stress[k][d];
    }
    return *this;
  }
};

__global__ void gather(Flow *flow, const Flow *sources, int n) {
  int i = threadIdx.x;
  if (i < n)
    flow[i] += sources[n - 1 - i];
}

int main() {
  const int n = 100;
  Particle host[n];
  Vec3 forces[n];
  int order[n];
  for (int i = 0; i < n; ++i) {
    host[i] = {{1.0f * i, 2, 3}, {0.5f * i, 1, -1}, 0.02f * i, i};
    forces[i] = {0.1f * i, 0.25f, 1};
    order[i] = n - 1 - i;
  }
  Particle *p;
  Vec3 *force, *wind;
  int *index;
  cudaMalloc(&p, sizeof(host));
  cudaMalloc(&force, sizeof(forces));
  cudaMalloc(&wind, sizeof(forces));
  cudaMalloc(&index, sizeof(order));
  cudaMemcpy(p, host, n * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemcpy(force, forces, n * sizeof(Vec3), cudaMemcpyHostToDevice);
  cudaMemcpy(wind, forces, n * sizeof(Vec3), cudaMemcpyHostToDevice);
  cudaMemcpy(index, order, sizeof(order), cudaMemcpyHostToDevice);
  step<<<1, 128>>>(p, force, wind, index, n, 0.125f);
  cudaMemcpy(host, p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(forces, force, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
  Flow flows[n], *flow, *sources;
  for (int i = 0; i < n; ++i)
    flows[i] = {1.0f * i, {2.0f * i, 1, 3}, {{1, 2, 0.5f * i}, {4, 5, 6}}};
  cudaMalloc(&flow, sizeof(flows));
  cudaMalloc(&sources, sizeof(flows));
  cudaMemcpy(flow, flows, sizeof(flows), cudaMemcpyHostToDevice);
  cudaMemcpy(sources, flows, sizeof(flows), cudaMemcpyHostToDevice);
  gather<<<1, 128>>>(flow, sources, n);
  cudaMemcpy(flows, flow, sizeof(flows), cudaMemcpyDeviceToHost);
  double sum = flows[1].mass + flows[2].moments[0] + flows[3].stress[0][2];
  for (int i = 0; i < n; ++i)
    sum += host[i].pos.x + host[i].vel.y + host[i].mass + host[i].hits + forces[i].length();
  std::printf("%.9g\n", sum);
}
