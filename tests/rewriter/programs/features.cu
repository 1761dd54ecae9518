// What real kernels do around their arrays of records: shared memory, dynamic and of records,
// constant tables, buffers that change places, reductions by shuffles and by blocks.
#include <cstdio>
#include <utility>
#include <vector>

struct Body {
  float x, y, z, mass;
  int hits;
};

struct Settings {
  float gravity;
  float softening;
};

__constant__ Settings settings;
__constant__ Body suns[3];

__device__ float pull(const Body &body, float x) {
  float d = body.x - x;
  return settings.gravity * body.mass * d / (d * d + settings.softening);
}

// Tiles of records in shared memory, of a size that the launch says.
__global__ void attract(const Body *from, Body *to, int count) {
  extern __shared__ Body tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Body me = {};
  if (i < count)
    me = from[i];
  float force = 0;
  for (int first = 0; first < count; first += blockDim.x) {
    if (first + threadIdx.x < count)
      tile[threadIdx.x] = from[first + threadIdx.x];
    __syncthreads();
    for (int n = 0; n < (int)blockDim.x && first + n < count; ++n)
      force += pull(tile[n], me.x);
    __syncthreads();
  }
  for (int n = 0; n < 3; ++n)
    force += pull(suns[n], me.x);
  if (i < count) {
    me.x += 0.01f * force;
    ++me.hits;
    to[i] = me;
  }
}

// A block's sum by shuffles, then through static shared memory.
__global__ void momentum(const Body *bodies, int count, float *sums) {
  __shared__ float parts[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum += bodies[i].mass * bodies[i].x;
  for (int offset = 16; offset > 0; offset /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, offset);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (threadIdx.x == 0)
      sums[blockIdx.x] = sum;
  }
}

// Dynamic shared memory of plain numbers, from fields.
__global__ void smooth(Body *bodies, int count) {
  extern __shared__ float heights[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  heights[threadIdx.x] = i < count ? bodies[i].y : 0;
  __syncthreads();
  if (i < count && threadIdx.x > 0 && threadIdx.x + 1 < blockDim.x)
    bodies[i].y = (heights[threadIdx.x - 1] + heights[threadIdx.x + 1]) / 2;
}

struct Buffers {
  Body *now;
  Body *next;
  void turn() {
    Body *kept = now;
    now = next;
    next = kept;
  }
};

int main() {
  const int count = 300;
  std::vector<Body> host(count);
  for (int i = 0; i < count; ++i)
    host[i] = Body{i * 0.3f, 100.0f - i, i % 5 * 1.0f, 1.0f + i % 3, 0};
  Settings values{0.5f, 0.01f};
  Body far[3] = {{-50, 0, 0, 10, 0}, {150, 0, 0, 20, 0}, {900, 0, 0, 400, 0}};
  cudaMemcpyToSymbol(settings, &values, sizeof(values));
  cudaMemcpyToSymbol(suns, far, sizeof(far));
  Buffers buffers;
  float *sums;
  cudaMalloc(&buffers.now, count * sizeof(Body));
  cudaMalloc(&buffers.next, count * sizeof(Body));
  cudaMalloc(&sums, 4 * sizeof(float));
  cudaMemcpy(buffers.now, host.data(), count * sizeof(Body), cudaMemcpyHostToDevice);
  Body *a = buffers.now, *b = buffers.next;
  for (int step = 0; step < 4; ++step) {
    attract<<<3, 128, 128 * sizeof(Body)>>>(buffers.now, buffers.next, count);
    buffers.turn();
    smooth<<<3, 128, 128 * sizeof(float)>>>(buffers.now, count);
  }
  for (int step = 0; step < 3; ++step) {
    attract<<<3, 128, 128 * sizeof(Body)>>>(a, b, count);
    std::swap(a, b);
  }
  momentum<<<4, 96>>>(a, count, sums);
  float parts[4];
  cudaMemcpy(parts, sums, sizeof(parts), cudaMemcpyDeviceToHost);
  cudaMemcpy(host.data(), buffers.now, count * sizeof(Body), cudaMemcpyDeviceToHost);
  double all = parts[0] + parts[1] + parts[2] + parts[3];
  for (const Body &body : host)
    all += body.x + body.y + body.hits;
  std::printf("%.9g\n", all);
  cudaFree(buffers.now);
  cudaFree(buffers.next);
  cudaFree(sums);
}
