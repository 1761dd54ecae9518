// Generators of random numbers inside of records, drawn from in larger statements.
// clang-format off
#include <cstdio>

#define STEP 0.25f
#define Real float

struct Vec3 {
  float x, y, z;
  __host__ __device__ float turn(float by) {
    const float before = x;
    x = y;
    y = before + by;
    return before;
  }
};

__host__ __device__ Vec3 operator*(const Vec3 &a, float s) { return {a.x * s, a.y * s, a.z * s}; }

struct Walker {
  float x, y;
  unsigned state;
  int hits;

  __host__ __device__ float next() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return (state >> 8) * 0x1p-24f;
  }
  __host__ __device__ unsigned below(unsigned n) { return static_cast<unsigned>(next() * n); }
  __host__ __device__ Vec3 direction() { return {next(), next(), 1}; }
  __host__ __device__ bool moves(float chance) {
    ++hits;
    return next() < chance;
  }
};

class Dice {
public:
  __host__ __device__ void seed(int n) { state_ = n; }
  __host__ __device__ int operator()(int sides) {
    state_ = state_ * 1103515245u + 12345u;
    return state_ / 65536 % sides;
  }
  int rolls;

private:
  unsigned state_;
};

// Given a local as well, so that it keeps its reference.
__host__ __device__ float draw(Walker &walker) { return walker.next() - 0.5f; }

__device__ float noise(Walker *walkers, int i) {
  return walkers[i].next() * 2 - 1;
}

__device__ int shade(Walker *walkers, int i) {
  switch (walkers[i].below(3)) {
  case 0:
    return 5;
  case 1:
    return walkers[i].below(7);
  default:
    walkers[i].x += 1;
    return walkers[i].below(2) + 8;
  }
}

__global__ void walk(Walker *walkers, Vec3 *forces, Dice *dice, float *out, int *histogram, int n, float chance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float u = walkers[i].next();
  const Real v = walkers[i].next(); // of a macro
  double wide(walkers[i].next());
  const float r = draw(walkers[i]);
  int steps = 0;
  walkers[i].y += walkers[i].next();
  walkers[i].x = STEP * walkers[i].next() + u;

  // Some walkers rest.
  if (walkers[i].next() < chance) {
    out[i] = 1;
  } else if (u < v) {
    walkers[i].x -= walkers[i].next();
  } else
    out[i] += walkers[i].next();
  Walker &own = walkers[i];
  if (own.moves(chance) && own.x > 0)
    ++steps;
  if (!(walkers + i)->moves(0.25f)) ++steps;
  for (int k = 0; k < 3; ++k) {
    float next = 2 * own.next();
    if (dice[i](6) == 5) {
      ++dice[i].rolls;
      continue;
    }
    out[i] += next;
  }
  for (int k = 0; k < 2; ++k)
    histogram[walkers[i].below(8)] += 0;
  steps += dice[i](6) + dice[i].rolls;
  const Vec3 d = walkers[i].direction() * walkers[i].x;
  forces[i].z += walkers[i].direction().y;
  float turned = fmaxf(forces[i].turn(chance), -1.0f);
  atomicAdd(&histogram[8], dice[i](4));
  auto toss = [=](int sides) { return 1 + dice[i](sides); };
  Walker spare = walkers[i];
  out[i] += u + v + wide + r + steps + d.x + d.y + turned;
  out[i] += noise(walkers, i);
  out[i] += shade(walkers, i);
  out[i] += toss(5);
  out[i] += draw(spare);
}

// What lambdas change are others' variables: the call comes first, as it does for functions.
__global__ void shift(Vec3 *forces, int n) {
  int k = 0;
  auto next = [&] {
    ++k;
    return Vec3{1.0f * k, 2, 3};
  };
  while (k < n - 1)
    forces[k] = next();
  int used = 0;
  auto last = [used]() mutable { return Vec3{1, 1, 1.0f * used++}; };
  forces[0] = last();
  forces[1] = last();
}

int main() {
  const int n = 100;
  Walker walkers[n];
  Vec3 forces[n];
  Dice dice[n];
  for (int i = 0; i < n; ++i) {
    walkers[i] = {0.5f * i, 1.0f, 2463534242u + 7919u * i, 0};
    forces[i] = {0.25f * i, 1, -2};
    dice[i].seed(i);
    dice[i].rolls = i;
  }
  Walker *deviceWalkers;
  Vec3 *deviceForces;
  Dice *deviceDice;
  float *out;
  int *histogram;
  cudaMalloc(&deviceWalkers, n * sizeof(Walker));
  cudaMalloc(&deviceForces, n * sizeof(Vec3));
  cudaMalloc(&deviceDice, n * sizeof(Dice));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&histogram, 9 * sizeof(int));
  cudaMemcpy(deviceWalkers, walkers, n * sizeof(Walker), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceForces, forces, n * sizeof(Vec3), cudaMemcpyHostToDevice);
  cudaMemcpy(deviceDice, dice, n * sizeof(Dice), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, n * sizeof(float));
  cudaMemset(histogram, 0, 9 * sizeof(int));
  walk<<<1, 128>>>(deviceWalkers, deviceForces, deviceDice, out, histogram, n, 0.625f);
  shift<<<1, 1>>>(deviceForces, n);
  float results[n];
  int counts[9];
  cudaMemcpy(walkers, deviceWalkers, n * sizeof(Walker), cudaMemcpyDeviceToHost);
  cudaMemcpy(forces, deviceForces, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
  cudaMemcpy(dice, deviceDice, n * sizeof(Dice), cudaMemcpyDeviceToHost);
  cudaMemcpy(results, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, histogram, 9 * sizeof(int), cudaMemcpyDeviceToHost);
  double sum = counts[8];
  for (int i = 0; i < n; ++i)
    sum += walkers[i].x + walkers[i].y + walkers[i].state + walkers[i].hits + forces[i].x + forces[i].y + forces[i].z + results[i] + dice[i].rolls + dice[i](100);
  std::printf("%.17g\n", sum);
}
