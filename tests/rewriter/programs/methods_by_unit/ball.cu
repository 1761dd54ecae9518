#include "ball.cuh"
namespace game {
__device__ bool Ball::bounce(float low, float keep) {
  if (x >= low)
    return false;
  x = 2 * low - x;
  v = -v * keep;
  ++bounces;
  return true;
}
__device__ void Ball::step(float dt) {
  x += v * dt;
  if (v > 0 && x > 3)
    v *= 0.9f;
  if (bounce(0))
    v += 0.01f;
}
} // namespace game
