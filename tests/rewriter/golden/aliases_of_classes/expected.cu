// Aliases that classes declare, named in the instances of templates.
// clang-format off
#include <cstdio>
#include <vector>

template <typename T>
struct Triangle {
  T x[3];
  T weight;
};
#include "triangle_float_layout.h"


class Mesh {
public:
  using Face = Triangle<float>;

  explicit Mesh(int n) : faces_(n) {
    for (int i = 0; i < n; ++i)
      faces_[i] = {{0.5f * i, 1.0f, i % 7 * 0.25f}, 1.0f + i % 3};
  }
  const Face *data() const { return faces_.data(); }
  int size() const { return static_cast<int>(faces_.size()); }

private:
  std::vector<Face> faces_;
};

template <typename T>
__global__ void weigh(T *sums, ConstTriangleFloatView faces, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sums[i] = (faces.x(i)[0] + faces.x(i)[2]) * faces.weight(i);
}

template <typename T>
double total(const Mesh &mesh)
{
  const int n = mesh.size();
  const Mesh::Face *h_faces = mesh.data();
  TriangleFloatView d_faces;
  triangleFloatMalloc(&d_faces, sizeof(Mesh::Face) * n);
  triangleFloatMemcpy(d_faces, h_faces, sizeof(Mesh::Face) * n, cudaMemcpyHostToDevice);
  T *d_sums;
  cudaMalloc(&d_sums, n * sizeof(T));
  weigh<<<(n + 127) / 128, 128>>>(d_sums, d_faces, n);
  std::vector<T> sums(n);
  cudaMemcpy(sums.data(), d_sums, n * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(d_sums);
  triangleFloatFree(d_faces);
  double all = 0;
  for (T sum : sums)
    all += sum;
  return all;
}

int main()
{
  Mesh mesh(300);
  printf("%g %g\n", total<float>(mesh), total<double>(mesh));
  return 0;
}
