#pragma once
namespace game {
class Ball {
public:
  __device__ bool bounce(float low, float keep = 0.5f);
  __device__ void step(float dt);
  __host__ __device__ void place(float at, float speed) {
    x = at;
    v = speed;
    bounces = 0;
  }
  __host__ __device__ float where() const { return x; }

private:
  float x, v;
  int bounces;
};
} // namespace game
