// One struct type for the host's arrays and the device's: the latter get a type of their own.
#include <cstdio>
#include <cstdlib>

#include "float2_layout.h"

struct Grain {
  float x, y, radius;
  int kind;
};
#include "grain_layout.h"

/// A bed of grains, on either side.
struct Bed {
  Grain *grains; // count of them
  int count;
  float box[2];
  __host__ __device__ int size() const { return count; }
};
struct BedDevice {
  GrainView grains; // count of them
  int count;
  float box[2];
  __host__ __device__ int size() const { return count; }
};

typedef struct {
  int width;
  float2 *elements;
} Grid;
typedef struct {
  int width;
  Float2View elements;
} GridDevice;

struct Pair {
  Grid host;
  GridDevice device;
};

__device__ float overlap(const BedDevice &bed, int i, int j) {
  return bed.grains.radius(i) + bed.grains.radius(j) - fabsf(bed.grains.x(i) - bed.grains.x(j));
}

__device__ GridDevice rowOf(GridDevice grid, int row) {
  GridDevice part;
  part.width = grid.width;
  part.elements = grid.elements + (row * grid.width);
  return part;
}

__global__ void settle(BedDevice bed, GridDevice grid, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bed.size())
    return;
  const GridDevice row = rowOf(grid, i % 4);
  bed.grains.y(i) += overlap(bed, i, (i + 1) % bed.count) * dt + row.elements.y(i % row.width);
}

void fill(Bed *bed) {
  bed->grains = (Grain *)malloc(bed->count * sizeof(Grain));
  for (int i = 0; i < bed->count; ++i)
    bed->grains[i] = Grain{float(i), 1, 2, i % 3};
}

BedDevice upload(const Bed &from) {
  BedDevice made;
  made.count = from.count;
  made.box[0] = from.box[0];
  grainMalloc(&made.grains, made.count * sizeof(Grain));
  grainMemcpy(made.grains, from.grains, from.count * sizeof(Grain), cudaMemcpyHostToDevice);
  return made;
}

int main() {
  Bed host;
  BedDevice device;
  host.count = 256;
  host.box[0] = host.box[1] = 1;
  fill(&host);
  device = upload(host);

  Pair pair;
  pair.host.width = pair.device.width = 8;
  pair.host.elements = new float2[32];
  for (int i = 0; i < 32; ++i)
    pair.host.elements[i] = make_float2(i, i * 0.5f);
  float2Malloc(&pair.device.elements, 32 * sizeof(float2));
  float2Memcpy(pair.device.elements, pair.host.elements, 32 * sizeof(float2), cudaMemcpyHostToDevice);

  settle<<<2, 128>>>(device, pair.device, 0.25f);
  grainMemcpy(host.grains, device.grains, host.count * sizeof(Grain), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int i = 0; i < host.count; ++i)
    sum += host.grains[i].y;
  printf("%f of %d\n", sum, host.size());
  grainFree(device.grains);
  float2Free(pair.device.elements);
  free(host.grains);
  delete[] pair.host.elements;
}
