// A struct of the device that is assigned the host's, and gets its pointers behind.
// clang-format off
#include <cstdio>

struct Sphere { float x, y, r; };
namespace world {
struct Scene { Sphere *spheres; int count; };
} // namespace world
using world::Scene;

__global__ void grow(Scene scene) {
  int i = threadIdx.x;
  if (i < scene.count) scene.spheres[i].r *= 2;
}

int main() {
  Scene host{new Sphere[20], 20};
  for (int i = 0; i < 20; ++i) host.spheres[i] = {1.0f * i, 2, 3};
  Scene device;
  device = host;
  cudaMalloc(&device.spheres, 20 * sizeof(Sphere));
  cudaMemcpy(device.spheres, host.spheres, 20 * sizeof(Sphere), cudaMemcpyHostToDevice);
  grow<<<1, 32>>>(device);
  cudaMemcpy(host.spheres, device.spheres, 20 * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g\n", host.spheres[7].r);
  cudaFree(device.spheres);
}
