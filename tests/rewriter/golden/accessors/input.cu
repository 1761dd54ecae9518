// Methods that return references to members, by a constant subscript, and copies of `*this`.
#include <cstdio>

struct Vec3 {
  float x, y, z;
  __host__ __device__ float &operator[](int k) { return k == 0 ? x : k == 1 ? y : z; }
  __host__ __device__ float operator[](int k) const { return k == 0 ? x : k == 1 ? y : z; }
  __host__ __device__ float &at(unsigned k) {
    if (k == 0)
      return x;
    else if (k == 1)
      return (y);
    return z;
  }
  __host__ __device__ float &first() { return x; }
  __host__ __device__ Vec3 &operator-=(const Vec3 &b) {
    x -= b.x;
    y -= b.y;
    z -= b.z;
    return *this;
  }
  __host__ __device__ Vec3 operator-(const Vec3 &b) const {
    Vec3 copy(*this);
    copy -= b;
    return copy;
  }
  __host__ __device__ float dot(const Vec3 &b) const { return x * b.x + y * b.y + z * b.z; }
  __host__ __device__ float squared() const { return (*this).x * (*this).x + dot(*this); }
};

struct Particle {
  Vec3 pos, vel;
  float mass;

  __host__ __device__ void set(const float *from) {
    pos[0] = from[0];
    pos[1] += from[1];
    pos[2] = from[2];
    vel.at(0) = from[3];
    vel.at(1) = from[4];
    this->vel.at(2) = from[5];
  }
  __host__ __device__ void push() { vel.first() += 1; vel[1] *= 2; vel[1 + 1] -= 1; }
  __host__ __device__ Particle moved(float dt) const {
    Particle next = *this;
    next.pos.x += dt * vel.x;
    return next;
  }
};

__global__ void update(Particle *p, const float *state, Vec3 *offset, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  p[i].set(&state[6 * i]);
  p[i].push();
  p[i] = p[i].moved(dt);
  offset[i].x = (offset[i] - p[i].pos).squared();
}

int main() {
  const int n = 100;
  Particle host[n], *p;
  Vec3 offsets[n], *offset;
  float states[6 * n], *state;
  for (int i = 0; i < n; ++i) {
    host[i] = {{1.0f * i, 2, 3}, {1, 0, 0}, 1};
    offsets[i] = {2.0f * i, 1, 1};
    for (int k = 0; k < 6; ++k)
      states[6 * i + k] = i + 0.5f * k;
  }
  cudaMalloc(&p, n * sizeof(Particle));
  cudaMalloc(&offset, n * sizeof(Vec3));
  cudaMalloc(&state, 6 * n * sizeof(float));
  cudaMemcpy(p, host, n * sizeof(Particle), cudaMemcpyHostToDevice);
  cudaMemcpy(offset, offsets, n * sizeof(Vec3), cudaMemcpyHostToDevice);
  cudaMemcpy(state, states, 6 * n * sizeof(float), cudaMemcpyHostToDevice);
  update<<<1, 128>>>(p, state, offset, n, 0.25f);
  cudaMemcpy(host, p, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  cudaMemcpy(offsets, offset, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i += 9)
    std::printf("%g %g %g %g\n", host[i].pos.y, host[i].vel[2], host[i].pos.x, offsets[i].x);
  cudaFree(p);
  cudaFree(offset);
  cudaFree(state);
}
