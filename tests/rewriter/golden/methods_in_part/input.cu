// Methods that do not access all that they write on every path, and so cannot store a copy back.
// clang-format off
#include <cstdio>
#include <vector>

#define SIDES __host__ __device__

struct Vec3 {
  float x, y, z;
};

enum { kMostContacts = 4 };

struct Contact {
  Vec3 normal;
  int count;
  float depth[kMostContacts];
  double impulse;
  enum Kind { kNone, kSome } kind;

  SIDES void reset() { count = 0; kind = kNone; }

  // Keeps the deepest.
  SIDES void add(float d, const Vec3 &n = {0, 1, 0})
  {
    int slot = count;
    if (count == kMostContacts) {
      slot = 0;
      for (int k = 1; k < kMostContacts; ++k)
        if (depth[k] < depth[slot])
          slot = k;
      if (this->depth[slot] >= d)
        return;
    } else {
      ++count;
    }
    depth[slot] = d;
    normal = n;
    mark();
  }

  SIDES void mark() { if (count > 2) kind = kSome; }
  SIDES float sum() const { float s = 0; for (int k = 0; k < count; ++k) s += depth[k]; return s; }
};

class Ball {
  float v;

public:
  float x;
  int bounces;

  __host__ __device__ void start(float from, float speed) { x = from; v = speed; bounces = 0; }
  __device__ void move() { x += v; }
  __device__ bool bounce(float low) {
    if (x >= low)
      return false;
    x = 2 * low - x;
    v = -v;
    ++bounces;
    return true;
  }
};

__global__ void collide(Contact *contacts, Ball *balls, int *hits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Contact *own = contacts + i;
  own->reset();
  for (int k = 0; k < 6; ++k)
    contacts[i].add(float((i * 7 + k * 5) % 11));
  if (i % 3 == 0)
    own->add(20.0f, {1, 0, 0});
  own->impulse += own->sum();
  balls[i].move();
  if (balls[i].bounce(-1.0f))
    hits[i] += 1;
}

int main() {
  const int n = 300;
  std::vector<Contact> host(n);
  std::vector<Ball> thrown(n);
  std::vector<int> counts(n);
  for (int i = 0; i < n; ++i) {
    host[i].impulse = i;
    thrown[i].start(0.5f * (i % 9), -1.0f - i % 4);
  }
  Contact spare = host[0];
  spare.reset();
  spare.add(2.0f);
  Contact *contacts;
  Ball *balls;
  int *hits;
  cudaMalloc(&contacts, n * sizeof(Contact));
  cudaMalloc(&balls, n * sizeof(Ball));
  cudaMalloc(&hits, n * sizeof(int));
  cudaMemset(hits, 0, n * sizeof(int));
  cudaMemcpy(contacts, host.data(), n * sizeof(Contact), cudaMemcpyHostToDevice);
  cudaMemcpy(balls, thrown.data(), n * sizeof(Ball), cudaMemcpyHostToDevice);
  for (int t = 0; t < 3; ++t)
    collide<<<(n + 63) / 64, 64>>>(contacts, balls, hits, n);
  cudaMemcpy(host.data(), contacts, n * sizeof(Contact), cudaMemcpyDeviceToHost);
  cudaMemcpy(thrown.data(), balls, n * sizeof(Ball), cudaMemcpyDeviceToHost);
  cudaMemcpy(counts.data(), hits, n * sizeof(int), cudaMemcpyDeviceToHost);
  double sum = spare.depth[0];
  for (int i = 0; i < n; ++i)
    sum += host[i].impulse + host[i].normal.x + host[i].kind + thrown[i].x * thrown[i].bounces + counts[i];
  std::printf("%g\n", sum);
}
