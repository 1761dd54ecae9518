// Arrays of one record that want different layouts, an array that keeps its own, and a second record.
#include <cstdio>
#include <vector>

namespace geometry {

struct Point {
  float x, y, z, weight;
};

struct Cell {
  int corner[4];
  float volume;
};

__host__ __device__ inline float length(const Point &p) { return p.x * p.x + p.y * p.y + p.z * p.z; }

} // namespace geometry

using geometry::Cell;
using geometry::Point;

__device__ Point origin[2] = {{0, 0, 0, 1}}; // a variable keeps its layout

__global__ void stream(Point *points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    points[i].weight = points[i].x * 0.5f + origin[i % 2].y;
}

__global__ void gather(const Point *points, const Cell *cells, int count, const Point *other,
                       float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    Point p = points[cells[i].corner[k]];
    sum += length(p) + p.weight + length(other[i]);
  }
  sums[i] = sum * cells[i].volume;
}

__global__ void shift(Point *points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    points[i].z += 1;
}

int main() {
  const int count = 200;
  std::vector<Point> host(count), back(count);
  std::vector<Cell> corners(count);
  for (int i = 0; i < count; ++i) {
    host[i] = Point{i * 0.5f, 1.0f - i, i * i * 0.01f, 1.0f};
    corners[i] = Cell{{i, (i * 7) % count, (i * 13) % count, (i * 29) % count}, 0.1f * i};
  }
  cudaMemcpyToSymbol(origin, host.data(), 2 * sizeof(Point));
  Point *streamed;
  Point *gathered;
  Point *kept;
  Cell *cells;
  float *sums;
  cudaMalloc(&streamed, count * sizeof(Point));
  cudaMalloc(&gathered, count * sizeof(Point));
  cudaMalloc(&kept, count * sizeof(Point));
  cudaMalloc(&cells, count * sizeof(Cell));
  cudaMalloc(&sums, count * sizeof(float));
  cudaMemcpy(streamed, host.data(), count * sizeof(Point), cudaMemcpyHostToDevice);
  cudaMemcpy(kept, host.data(), count * sizeof(Point), cudaMemcpyHostToDevice);
  cudaMemcpy(cells, corners.data(), count * sizeof(Cell), cudaMemcpyHostToDevice);
  shift<<<2, 128>>>(kept, count);
  cudaMemcpy(gathered, kept, count * sizeof(Point), cudaMemcpyDeviceToDevice);
  stream<<<2, 128>>>(streamed, count);
  gather<<<2, 128>>>(gathered, cells, count, gathered, sums);
  std::vector<float> result(count);
  cudaMemcpy(result.data(), sums, count * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(back.data(), streamed, count * sizeof(Point), cudaMemcpyDeviceToHost);
  double all = 0;
  for (int i = 0; i < count; ++i)
    all += result[i] + back[i].weight;
  std::printf("%.9g\n", all);
  cudaFree(streamed);
  cudaFree(gathered);
  cudaFree(kept);
  cudaFree(cells);
  cudaFree(sums);
}
