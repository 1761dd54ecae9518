// Const methods that return a member: references to it are kept, and other methods call them.
#include <cstdio>

struct Vec2 {
  double x, y;
};

__host__ __device__ inline double norm2(const Vec2 &a) { return a.x * a.x + a.y * a.y; }

class Star {
public:
  __host__ __device__ const Vec2 &position() const { return position_; }
  __host__ __device__ const Vec2 &velocity() const { return velocity_; }
  __host__ __device__ Vec2 &velocity() { return velocity_; }
  __host__ __device__ const double &mass() const { return mass_; }
  __host__ __device__ double kinetic() const { return 0.5 * mass() * norm2(velocity()); }
  void set(double x, double v, double mass) {
    position_ = {x, -x};
    velocity_ = {v, 0.25 * v};
    mass_ = mass;
  }

private:
  Vec2 position_, velocity_;
  double mass_;
};
#include "star_layout.h"

__global__ void pull(ConstStarView stars, Vec2 *forces, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Vec2 force = {0, 0};
  const Vec2 &own = stars.position_(i);
  for (int j = 0; j < n; ++j) {
    const auto &other = stars.position_(j);
    const double &mass = stars.mass_(j);
    force.x += mass * (other.x - own.x);
    force.y += mass * (other.y - own.y);
  }
  forces[i] = force;
}

__global__ void push(StarView stars, const Vec2 *forces, double *energy, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const Vec2 &position = stars.position_(i);
  stars.velocity_(i).x += forces[i].x * position.x;
  energy[i] = stars.load(i).kinetic();
}

int main() {
  const int n = 100;
  Star host[n];
  StarView stars;
  double sum = 0, energies[n], *energy;
  Vec2 *forces;
  for (int i = 0; i < n; ++i)
    host[i].set(0.5 * i, 1.0 / (i + 1), i % 3);
  starMalloc(&stars, sizeof(host));
  cudaMalloc(&forces, n * sizeof(Vec2));
  cudaMalloc(&energy, n * sizeof(double));
  starMemcpy(stars, host, sizeof(host), cudaMemcpyHostToDevice);
  pull<<<1, 128>>>(stars, forces, n);
  push<<<1, 128>>>(stars, forces, energy, n);
  cudaMemcpy(energies, energy, sizeof(energies), cudaMemcpyDeviceToHost);
  starMemcpy(host, stars, sizeof(host), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i)
    sum += energies[i] + host[i].velocity().x;
  std::printf("%.12g\n", sum);
  starFree(stars);
  cudaFree(forces);
  cudaFree(energy);
}
