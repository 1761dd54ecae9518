// Records with base classes that have fields, their members, methods and copies of the base.
// clang-format off
#include <cstdio>

struct Body {
  float x, y, mass;
  __host__ __device__ float weight() const { return 9.81f * mass; }
  __host__ __device__ void shift(float dx) { x += dx; }
};

struct Named {
  short tag[2];
};

struct Particle : Body, Named {
  using Body::operator=;
  float vx, vy;
  int id;
  __host__ __device__ void advance(float dt) {
    x += dt * vx;
    y += dt * vy;
  }
};

class Shape {
public:
  __host__ __device__ int material() const { return material_; }
  __host__ __device__ void paint(int m) { material_ = m; }

protected:
  float3 center;
  int material_;
};

class Sphere : public Shape {
public:
  __host__ __device__ void set(float3 c, float r) {
    center = c;
    radius = r;
  }
  __host__ __device__ float reach() const { return center.x + radius; }

private:
  float radius;
};

__device__ float distance(const Body &a, float x) { return a.x > x ? a.x - x : x - a.x; }
__device__ void halve(Body &body) { body.mass *= 0.5f; }

__global__ void step(Particle *p, Sphere *s, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i].x += 0.5f * p[i].vx;
  p[i].tag[1] += p[i].tag[0];
  Particle *next = p + i;
  next->y += next->mass;
  p[i].advance(0.25f);
  p[i].shift(2);
  halve(p[i]);
  Body base = p[i];
  Particle copy = p[i];
  copy.vx = base.weight();
  p[i] = copy;
  base.y = 2;
  p[i] = base;
  sums[i] = p[i].weight() + distance(p[i], 3) + next->weight();
  Sphere sphere = s[i];
  sphere.paint(sphere.material() + i);
  s[i] = sphere;
  sums[i] += s[i].reach() + s[i].material();
}

int main() {
  const int n = 100;
  Particle host[n];
  Sphere spheres[n];
  float sums[n];
  for (int i = 0; i < n; ++i) {
    host[i].x = i;
    host[i].y = 1;
    host[i].mass = 1 + i % 3;
    host[i].tag[0] = i % 5;
    host[i].tag[1] = 2;
    host[i].vx = 0.5f * i;
    host[i].vy = -1;
    host[i].id = i;
    spheres[i].set(make_float3(i, 0, 1), 0.5f);
    spheres[i].paint(i % 7);
  }
  Particle *p;
  Sphere *s;
  float *d;
  cudaMalloc(&p, sizeof(host));
  cudaMalloc(&s, sizeof(spheres));
  cudaMalloc(&d, sizeof(sums));
  cudaMemcpy(p, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(s, spheres, sizeof(spheres), cudaMemcpyHostToDevice);
  step<<<1, 128>>>(p, s, d, n);
  cudaMemcpy(host, p, sizeof(host), cudaMemcpyDeviceToHost);
  cudaMemcpy(spheres, s, sizeof(spheres), cudaMemcpyDeviceToHost);
  cudaMemcpy(sums, d, sizeof(sums), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += host[i].x + host[i].y + host[i].mass + host[i].vx + host[i].tag[1] + spheres[i].reach() +
           spheres[i].material() + sums[i];
  std::printf("%.9g\n", sum);
}
