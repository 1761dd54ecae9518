// Classes whose methods work on the host's objects, the device's, or both.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Sphere { float x, y, z, r; int kind; };
#include "sphere_layout.h"

/// Spheres, here or on the device.
class Spheres {
public:
  Spheres() : data(nullptr), count(0) {}
  /// Makes room here.
  void allocate(int n) { count = n; data = new Sphere[n]; }
  void release() { delete[] data; }
  __host__ __device__ int size() const { return count; }
  Sphere *data;
  int count;
};
class SpheresDevice {
public:
  SpheresDevice() : data(nullptr), count(0) {}
  /// Makes room on the device.
  void allocateOnDevice(int n) { count = n; sphereMalloc(&data, n * sizeof(Sphere)); }
  void releaseOnDevice() { sphereFree(data); }
  __host__ __device__ int size() const { return count; }
  SphereView data;
  int count;
};

class Scene;
class SceneDevice {
  friend class Scene;
  SphereView spheres = nullptr;
  int count = 0;
public:
  __host__ __device__ SphereView operator[](int i) { return spheres + i; }
  __host__ __device__ int size() const;
  void upload(const Scene &host);
  void release();
};

class Scene {
  friend class SceneDevice;
  Sphere *spheres = nullptr;
  int count = 0;
public:
  __host__ __device__ const Sphere &operator[](int i) const { return spheres[i]; }
  __host__ __device__ Sphere &operator[](int i) { return spheres[i]; }
  void create(const std::vector<Sphere> &list);
  void download(const SceneDevice &device) {
    sphereMemcpy(spheres, device.spheres, count * sizeof(Sphere), cudaMemcpyDeviceToHost);
  }
};

inline void SceneDevice::upload(const Scene &host) {
  count = host.count;
  sphereMalloc(&spheres, count * sizeof(Sphere));
  sphereMemcpy(spheres, host.spheres, count * sizeof(Sphere), cudaMemcpyHostToDevice);
}

__host__ __device__ int SceneDevice::size() const { return count; }
void Scene::create(const std::vector<Sphere> &list) {
  count = static_cast<int>(list.size());
  spheres = new Sphere[count];
  for (int i = 0; i < count; i++) spheres[i] = list[i];
}
void SceneDevice::release() { sphereFree(spheres); }

struct BedDevice {
  SphereView spheres;
  int count;
};

struct Bed;
inline BedDevice toBedDevice(const Bed &from);

struct Bed {
  Sphere *spheres;
  int count;
  BedDevice onDevice() const {
    BedDevice bed = toBedDevice(*this);
    sphereMalloc(&bed.spheres, count * sizeof(Sphere));
    sphereMemcpy(bed.spheres, spheres, count * sizeof(Sphere), cudaMemcpyHostToDevice);
    return bed;
  }
  float mass() const {
    float sum = 0;
    for (int i = 0; i < count; i++) sum += spheres[i].r;
    return sum;
  }
};

/// Without pointers to memory of the host.
inline BedDevice toBedDevice(const Bed &from) {
  BedDevice to;
  to.spheres = nullptr;
  to.count = from.count;
  return to;
}

__global__ void grow(SpheresDevice a, SceneDevice b, BedDevice c) {
  int i = threadIdx.x;
  if (i < a.size()) a.data.r(i) *= 2;
  if (i < b.size()) { b[i].r() += 1; b[i].kind()++; }
  if (i < c.count) c.spheres.x(i) += c.spheres.r(i);
}

int main() {
  const int n = 64;
  std::vector<Sphere> list;
  for (int i = 0; i < n; i++) list.push_back({1.0f * i, 2, 3, 0.5f * i, i});
  Spheres here;
  SpheresDevice there;
  here.allocate(n);
  there.allocateOnDevice(n);
  for (int i = 0; i < here.size(); i++) here.data[i] = list[i];
  sphereMemcpy(there.data, here.data, n * sizeof(Sphere), cudaMemcpyHostToDevice);
  Scene scene;
  SceneDevice onDevice;
  scene.create(list);
  onDevice.upload(scene);
  Bed bed{list.data(), n};
  BedDevice bedThere = bed.onDevice();
  grow<<<1, n>>>(there, onDevice, bedThere);
  sphereMemcpy(here.data, there.data, n * sizeof(Sphere), cudaMemcpyDeviceToHost);
  scene.download(onDevice);
  sphereMemcpy(list.data(), bedThere.spheres, n * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g %g %d %g %g\n", here.data[7].r, scene[9].r, scene[9].kind, list[3].x, bed.mass());
  here.release();
  there.releaseOnDevice();
  onDevice.release();
  sphereFree(bedThere.spheres);
}
