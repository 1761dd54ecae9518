// Functions that are given elements and other objects, accessors of fields, and memset in device
// code.
// clang-format off
#include <cstdio>
#include <cstring>

struct Vec {
  float x, y, z;
  Vec() = default;
  __host__ __device__ Vec(float a, float b, float c) : x(a), y(b), z(c) {}
  __host__ __device__ Vec(const Vec &other) { *this = other; }
  __host__ __device__ const float &operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};

__host__ __device__ inline float dot(const Vec &a, const Vec &b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
__host__ __device__ inline const Vec &longer(const Vec &a, const Vec &b) {
  return dot(a, a) < dot(b, b) ? b : a;
}

struct Ray {
  __host__ __device__ const Vec &origin() const { return origin_; }
  __host__ __device__ const Vec &direction() const { return longer(direction_, direction_); }
  __host__ __device__ const float &length() const { return length_; }

  Vec origin_, direction_;
  float length_;
  int hops;
};

__host__ __device__ void advance(Ray &ray, float by) {
  ray.origin_.x += ray.direction_.x * by;
  ray.origin_.y += ray.direction_.y * by;
  ray.origin_.z += ray.direction_.z * by;
}
__host__ __device__ void hop(Ray &ray, const Vec &wind) {
  advance(ray, 0.5f);
  ray.hops += wind.x > 0;
}
template <class T> __host__ __device__ void grow(T &ray, float by) { ray.length_ += by; }

__global__ void step(Ray *rays, const Vec *winds, float *lengths, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Ray ray = rays[i];
  advance(ray, dt);
  advance(rays[i], dt);
  __shared__ Ray shared[32];
  shared[threadIdx.x] = ray;
  hop(shared[threadIdx.x], winds[i]);
  hop(rays[i], winds[i]);
  grow(ray, 1);
  if (i % 2)
    grow(rays[i], ray.length_);
  const Ray *own = rays + i;
  lengths[i] = own->length() + rays[i].origin().y + dot(rays[i].direction(), winds[i]) +
               longer(rays[i].origin(), ray.origin())[1] + rays[i].origin()[2];
  Vec origin = (*own).origin();
  if (origin[0] > 4)
    memset(&rays[i], 0, sizeof(Ray));
  if (i == 7)
    memset(rays + i, 1, 1 * sizeof *rays);
  lengths[i] += shared[threadIdx.x].hops;
}

__device__ float reach(const Ray &ray, float more) {
  const Vec &origin = ray.origin_;
  const float &x = ray.direction_.x;
  return origin.y + x + more;
}

__global__ void look(const Ray *rays, float *lengths, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Vec &origin = rays[i].origin_;
  const auto &hops = rays[i].hops;
  lengths[i] += reach(rays[i], 2) + dot(origin, rays[i].direction_) + hops;
}

int main() {
  const int n = 100;
  Ray host[n];
  Vec wind[n];
  float length[n];
  for (int i = 0; i < n; ++i) {
    host[i] = {{0.125f * i, 1, 2}, {1, 0.5f, 0.25f}, 0, i % 3};
    wind[i] = {i % 4 - 1.0f, 2, 3};
    hop(host[i], wind[i]);
  }
  Ray *rays;
  Vec *winds;
  float *lengths;
  cudaMalloc(&rays, sizeof(host));
  cudaMalloc(&winds, sizeof(wind));
  cudaMalloc(&lengths, sizeof(length));
  cudaMemcpy(rays, host, n * sizeof(Ray), cudaMemcpyHostToDevice);
  cudaMemcpy(winds, wind, n * sizeof(Vec), cudaMemcpyHostToDevice);
  for (int s = 0; s < 3; ++s)
    step<<<(n + 31) / 32, 32>>>(rays, winds, lengths, n, 0.25f);
  look<<<(n + 31) / 32, 32>>>(rays, lengths, n);
  cudaMemcpy(host, rays, n * sizeof(Ray), cudaMemcpyDeviceToHost);
  cudaMemcpy(length, lengths, sizeof(length), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += length[i] + host[i].hops;
  std::printf("%g\n", sum);
  cudaFree(rays);
  cudaFree(winds);
  cudaFree(lengths);
}
