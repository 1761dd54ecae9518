// Arrays of one record that want different layouts, an array that keeps its own, and a second record.
#include <cstdio>
#include <vector>

namespace geometry {

struct Point {
  float x, y, z, weight;
};
} // namespace geometry
#include "point_soa_layout.h"
#include "point_aligned_layout.h"
#include "point_tiles16_layout.h"
namespace geometry {

struct Cell {
  int corner[4];
  float volume;
};
} // namespace geometry
#include "cell_layout.h"
namespace geometry {

__host__ __device__ inline float length(const Point &p) { return p.x * p.x + p.y * p.y + p.z * p.z; }

} // namespace geometry

using geometry::Cell;
using geometry::Point;

__device__ Point origin[2] = {{0, 0, 0, 1}}; // a variable keeps its layout

__global__ void stream(geometry::PointSoaView points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    points.weight(i) = points.x(i) * 0.5f + origin[i % 2].y;
}

__global__ void gather(geometry::ConstPointAlignedView points, geometry::ConstCellView cells, int count, geometry::ConstPointAlignedView other,
                       float *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float sum = 0;
  for (int k = 0; k < 4; ++k) {
    Point p = points.load(cells.corner(i, k));
    sum += length(p) + p.weight + length(other.load(i));
  }
  sums[i] = sum * cells.volume(i);
}

__global__ void shift(geometry::PointTiles16View points, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    points.z(i) += 1;
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
  geometry::PointSoaView streamed;
  geometry::PointAlignedView gathered;
  geometry::PointTiles16View kept;
  geometry::CellView cells;
  float *sums;
  pointSoaMalloc(&streamed, count * sizeof(Point));
  pointAlignedMalloc(&gathered, count * sizeof(Point));
  pointTiles16Malloc(&kept, count * sizeof(Point));
  cellMalloc(&cells, count * sizeof(Cell));
  cudaMalloc(&sums, count * sizeof(float));
  pointSoaMemcpy(streamed, host.data(), count * sizeof(Point), cudaMemcpyHostToDevice);
  pointTiles16Memcpy(kept, host.data(), count * sizeof(Point), cudaMemcpyHostToDevice);
  cellMemcpy(cells, corners.data(), count * sizeof(Cell), cudaMemcpyHostToDevice);
  shift<<<2, 128>>>(kept, count);
  pointAlignedConvert(gathered, kept, count * sizeof(Point), cudaMemcpyDeviceToDevice);
  stream<<<2, 128>>>(streamed, count);
  gather<<<2, 128>>>(gathered, cells, count, gathered, sums);
  std::vector<float> result(count);
  cudaMemcpy(result.data(), sums, count * sizeof(float), cudaMemcpyDeviceToHost);
  pointSoaMemcpy(back.data(), streamed, count * sizeof(Point), cudaMemcpyDeviceToHost);
  double all = 0;
  for (int i = 0; i < count; ++i)
    all += result[i] + back[i].weight;
  std::printf("%.9g\n", all);
  pointSoaFree(streamed);
  pointAlignedFree(gathered);
  pointTiles16Free(kept);
  cellFree(cells);
  cudaFree(sums);
}
