// A struct of the device that is assigned the host's, and gets its pointers behind.
// clang-format off
#include <cstdio>

struct Sphere { float x, y, r; };
#include "sphere_layout.h"
namespace world {
struct Scene { Sphere *spheres; int count; };
struct SceneDevice { SphereView spheres; int count; };

/// Without pointers to memory of the host.
inline SceneDevice toSceneDevice(const Scene &from) {
  SceneDevice to;
  to.spheres = nullptr;
  to.count = from.count;
  return to;
}
} // namespace world
using world::Scene;
using world::SceneDevice;

__global__ void grow(SceneDevice scene) {
  int i = threadIdx.x;
  if (i < scene.count) scene.spheres.r(i) *= 2;
}

int main() {
  Scene host{new Sphere[20], 20};
  for (int i = 0; i < 20; ++i) host.spheres[i] = {1.0f * i, 2, 3};
  SceneDevice device;
  device = toSceneDevice(host);
  sphereMalloc(&device.spheres, 20 * sizeof(Sphere));
  sphereMemcpy(device.spheres, host.spheres, 20 * sizeof(Sphere), cudaMemcpyHostToDevice);
  grow<<<1, 32>>>(device);
  sphereMemcpy(host.spheres, device.spheres, 20 * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g\n", host.spheres[7].r);
  sphereFree(device.spheres);
}
