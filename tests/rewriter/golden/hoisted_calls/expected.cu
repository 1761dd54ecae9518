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
#include "vec3_layout.h"

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
#include "walker_layout.h"

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
#include "dice_layout.h"

// Given a local as well, so that it keeps its reference.
__host__ __device__ float draw(Walker &walker) { return walker.next() - 0.5f; }

__device__ float noise(WalkerView walkers, int i) {
  Walker element = walkers.load(i);
  const auto value = element.next();
  walkers.state(i) = element.state;
  return value * 2 - 1;
}

__device__ int shade(WalkerView walkers, int i) {
  Walker element = walkers.load(i);
  const auto value = element.below(3);
  walkers.state(i) = element.state;
  switch (value) {
  case 0:
    return 5;
  case 1:
    {
      Walker element = walkers.load(i);
      const auto value = element.below(7);
      walkers.state(i) = element.state;
      return value;
    }
  default:
    walkers.x(i) += 1;
    {
      Walker element = walkers.load(i);
      const auto value = element.below(2);
      walkers.state(i) = element.state;
      return value + 8;
    }
  }
}

__global__ void walk(WalkerView walkers, Vec3View forces, DiceView dice, float *out, int *histogram, int n, float chance) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Walker element = walkers.load(i);
  float u = element.next();
  walkers.state(i) = element.state;
  Walker element2 = walkers.load(i);
  const Real v = element2.next();
  walkers.state(i) = element2.state; // of a macro
  Walker element3 = walkers.load(i);
  double wide(element3.next());
  walkers.state(i) = element3.state;
  Walker element4 = walkers.load(i);
  const float r = draw(element4);
  walkers.state(i) = element4.state;
  int steps = 0;
  {
    Walker element = walkers.load(i);
    const auto value = element.next();
    walkers.state(i) = element.state;
    walkers.y(i) += value;
  }
  {
    Walker element = walkers.load(i);
    const auto value = element.next();
    walkers.state(i) = element.state;
    walkers.x(i) = STEP * value + u;
  }

  // Some walkers rest.
  Walker element5 = walkers.load(i);
  const auto value5 = element5.next();
  walkers.state(i) = element5.state;
  if (value5 < chance) {
    out[i] = 1;
  } else if (u < v) {
    Walker element = walkers.load(i);
    const auto value = element.next();
    walkers.state(i) = element.state;
    walkers.x(i) -= value;
  } else {
    Walker element = walkers.load(i);
    const auto value = element.next();
    walkers.state(i) = element.state;
    out[i] += value;
  }
  WalkerView own = walkers + i;
  Walker element6 = own.load();
  const auto value6 = element6.moves(chance);
  own.state() = element6.state;
  own.hits() = element6.hits;
  if (value6 && own.x() > 0)
    ++steps;
  Walker element7 = (walkers + i).load();
  const auto value7 = element7.moves(0.25f);
  (walkers + i).state() = element7.state;
  (walkers + i).hits() = element7.hits;
  if (!value7) ++steps;
  for (int k = 0; k < 3; ++k) {
    Walker element8 = own.load();
    const auto value8 = element8.next();
    own.state() = element8.state;
    float next = 2 * value8;
    Dice element9 = dice.load(i);
    const auto value9 = element9(6);
    const auto members9 = dice.membersOf(element9);
    dice.state_(i) = members9.state_;
    if (value9 == 5) {
      ++dice.rolls(i);
      continue;
    }
    out[i] += next;
  }
  for (int k = 0; k < 2; ++k) {
    Walker element = walkers.load(i);
    const auto value = element.below(8);
    walkers.state(i) = element.state;
    histogram[value] += 0;
  }
  {
    Dice element = dice.load(i);
    const auto value = element(6);
    const auto members = dice.membersOf(element);
    dice.state_(i) = members.state_;
    steps += value + dice.rolls(i);
  }
  Walker element10 = walkers.load(i);
  const auto value10 = element10.direction();
  walkers.state(i) = element10.state;
  const Vec3 d = value10 * walkers.x(i);
  {
    Walker element = walkers.load(i);
    const auto value = element.direction();
    walkers.state(i) = element.state;
    forces.z(i) += value.y;
  }
  Vec3 element11 = forces.load(i);
  const auto value11 = element11.turn(chance);
  forces.x(i) = element11.x;
  forces.y(i) = element11.y;
  float turned = fmaxf(value11, -1.0f);
  {
    Dice element = dice.load(i);
    const auto value = element(4);
    const auto members = dice.membersOf(element);
    dice.state_(i) = members.state_;
    atomicAdd(&histogram[8], value);
  }
  auto toss = [=](int sides) { Dice element = dice.load(i); const auto value = element(sides); const auto members = dice.membersOf(element); dice.state_(i) = members.state_; return 1 + value; };
  Walker spare = walkers.load(i);
  out[i] += u + v + wide + r + steps + d.x + d.y + turned;
  out[i] += noise(walkers, i);
  out[i] += shade(walkers, i);
  out[i] += toss(5);
  out[i] += draw(spare);
}

// What lambdas change are others' variables: the call comes first, as it does for functions.
__global__ void shift(Vec3View forces, int n) {
  int k = 0;
  auto next = [&] {
    ++k;
    return Vec3{1.0f * k, 2, 3};
  };
  while (k < n - 1) {
    const Vec3 value = next();
    forces.store(k, value);
  }
  int used = 0;
  auto last = [used]() mutable { return Vec3{1, 1, 1.0f * used++}; };
  forces.store(0, last());
  forces.store(1, last());
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
  WalkerView deviceWalkers;
  Vec3View deviceForces;
  DiceView deviceDice;
  float *out;
  int *histogram;
  walkerMalloc(&deviceWalkers, n * sizeof(Walker));
  vec3Malloc(&deviceForces, n * sizeof(Vec3));
  diceMalloc(&deviceDice, n * sizeof(Dice));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&histogram, 9 * sizeof(int));
  walkerMemcpy(deviceWalkers, walkers, n * sizeof(Walker), cudaMemcpyHostToDevice);
  vec3Memcpy(deviceForces, forces, n * sizeof(Vec3), cudaMemcpyHostToDevice);
  diceMemcpy(deviceDice, dice, n * sizeof(Dice), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, n * sizeof(float));
  cudaMemset(histogram, 0, 9 * sizeof(int));
  walk<<<1, 128>>>(deviceWalkers, deviceForces, deviceDice, out, histogram, n, 0.625f);
  shift<<<1, 1>>>(deviceForces, n);
  float results[n];
  int counts[9];
  walkerMemcpy(walkers, deviceWalkers, n * sizeof(Walker), cudaMemcpyDeviceToHost);
  vec3Memcpy(forces, deviceForces, n * sizeof(Vec3), cudaMemcpyDeviceToHost);
  diceMemcpy(dice, deviceDice, n * sizeof(Dice), cudaMemcpyDeviceToHost);
  cudaMemcpy(results, out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, histogram, 9 * sizeof(int), cudaMemcpyDeviceToHost);
  double sum = counts[8];
  for (int i = 0; i < n; ++i)
    sum += walkers[i].x + walkers[i].y + walkers[i].state + walkers[i].hits + forces[i].x + forces[i].y + forces[i].z + results[i] + dice[i].rolls + dice[i](100);
  std::printf("%.17g\n", sum);
}
