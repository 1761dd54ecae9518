// Classes whose methods work on the host's objects, the device's, or both.
// clang-format off
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Sphere { float x, y, z, r; int kind; };

/// Spheres, here or on the device.
class Spheres {
public:
  Spheres() : data(nullptr), count(0) {}
  /// Makes room here.
  void allocate(int n) { count = n; data = new Sphere[n]; }
  /// Makes room on the device.
  void allocateOnDevice(int n) { count = n; cudaMalloc(&data, n * sizeof(Sphere)); }
  void release() { delete[] data; }
  void releaseOnDevice() { cudaFree(data); }
  __host__ __device__ int size() const { return count; }
  Sphere *data;
  int count;
};

class Scene {
  Sphere *spheres = nullptr;
  int count = 0;
public:
  __host__ __device__ const Sphere &operator[](int i) const { return spheres[i]; }
  __host__ __device__ Sphere &operator[](int i) { return spheres[i]; }
  __host__ __device__ int size() const;
  void create(const std::vector<Sphere> &list);
  void upload(const Scene &host) {
    count = host.count;
    cudaMalloc(&spheres, count * sizeof(Sphere));
    cudaMemcpy(spheres, host.spheres, count * sizeof(Sphere), cudaMemcpyHostToDevice);
  }
  void download(const Scene &device) {
    cudaMemcpy(spheres, device.spheres, count * sizeof(Sphere), cudaMemcpyDeviceToHost);
  }
  void release();
};

__host__ __device__ int Scene::size() const { return count; }
void Scene::create(const std::vector<Sphere> &list) {
  count = static_cast<int>(list.size());
  spheres = new Sphere[count];
  for (int i = 0; i < count; i++) spheres[i] = list[i];
}
void Scene::release() { cudaFree(spheres); }

struct Bed {
  Sphere *spheres;
  int count;
  Bed onDevice() const {
    Bed bed = *this;
    cudaMalloc(&bed.spheres, count * sizeof(Sphere));
    cudaMemcpy(bed.spheres, spheres, count * sizeof(Sphere), cudaMemcpyHostToDevice);
    return bed;
  }
  float mass() const {
    float sum = 0;
    for (int i = 0; i < count; i++) sum += spheres[i].r;
    return sum;
  }
};

__global__ void grow(Spheres a, Scene b, Bed c) {
  int i = threadIdx.x;
  if (i < a.size()) a.data[i].r *= 2;
  if (i < b.size()) { b[i].r += 1; b[i].kind++; }
  if (i < c.count) c.spheres[i].x += c.spheres[i].r;
}

int main() {
  const int n = 64;
  std::vector<Sphere> list;
  for (int i = 0; i < n; i++) list.push_back({1.0f * i, 2, 3, 0.5f * i, i});
  Spheres here, there;
  here.allocate(n);
  there.allocateOnDevice(n);
  for (int i = 0; i < here.size(); i++) here.data[i] = list[i];
  cudaMemcpy(there.data, here.data, n * sizeof(Sphere), cudaMemcpyHostToDevice);
  Scene scene, onDevice;
  scene.create(list);
  onDevice.upload(scene);
  Bed bed{list.data(), n};
  Bed bedThere = bed.onDevice();
  grow<<<1, n>>>(there, onDevice, bedThere);
  cudaMemcpy(here.data, there.data, n * sizeof(Sphere), cudaMemcpyDeviceToHost);
  scene.download(onDevice);
  cudaMemcpy(list.data(), bedThere.spheres, n * sizeof(Sphere), cudaMemcpyDeviceToHost);
  printf("%g %g %d %g %g\n", here.data[7].r, scene[9].r, scene[9].kind, list[3].x, bed.mass());
  here.release();
  there.releaseOnDevice();
  onDevice.release();
  cudaFree(bedThere.spheres);
}
