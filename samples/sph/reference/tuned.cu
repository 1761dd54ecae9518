// SPDX-License-Identifier: Apache-2.0
// The dam break of ../sph.cu tuned by hand: structure of arrays, and packed float4. See
// ../README.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

const int kCellCapacity = 48;

// Everything a kernel needs to know that does not change during a run.
struct Domain {
  float width, depth, height; // of the box, m
  float smoothing;            // h; the kernel's support is 2 h
  float mass;                 // of a particle, kg
  float restDensity;
  float soundSpeed;
  float viscosity; // Monaghan's alpha
  float gravity;
  float timeStep;
  int cellsX, cellsY, cellsZ; // cells of edge 2 h
};

__host__ __device__ inline int cellCoordinate(float position, float edge, int cells) {
  int c = (int)(position / edge);
  return c < 0 ? 0 : (c >= cells ? cells - 1 : c);
}

__host__ __device__ inline int cellIndex(const Domain &d, int x, int y, int z) {
  return (z * d.cellsY + y) * d.cellsX + x;
}

// Cubic spline kernel W(r) and (1/r) dW/dr, both in three dimensions.
__host__ __device__ inline float splineValue(float r, float h) {
  float q = r / h;
  float factor = 0.318309886f / (h * h * h);
  if (q < 1.0f)
    return factor * (1.0f - 1.5f * q * q + 0.75f * q * q * q);
  if (q < 2.0f) {
    float t = 2.0f - q;
    return factor * 0.25f * t * t * t;
  }
  return 0.0f;
}

__host__ __device__ inline float splineSlope(float r, float h) {
  float q = r / h;
  float factor = 0.318309886f / (h * h * h * h * h);
  if (q < 1.0f)
    return factor * (-3.0f + 2.25f * q);
  if (q < 2.0f) {
    float t = 2.0f - q;
    return -factor * 0.75f * t * t / q;
  }
  return 0.0f;
}

// What the kernels read of a particle at a time.
struct Place {
  float x, y, z, pressure;
};
struct Motion {
  float x, y, z, density;
};

// One array a value.
struct Arrays {
  float *px, *py, *pz, *pressure, *vx, *vy, *vz, *density, *ax, *ay, *az;
  __device__ Place place(int i) const { return {px[i], py[i], pz[i], pressure[i]}; }
  __device__ Motion motion(int i) const { return {vx[i], vy[i], vz[i], density[i]}; }
  __device__ float densityOf(int i) const { return density[i]; }
  __device__ void setDensity(int i, float value) const { density[i] = value; }
  __device__ void setPressure(int i, float value) const { pressure[i] = value; }
  __device__ void setAcceleration(int i, float x, float y, float z) const {
    ax[i] = x;
    ay[i] = y;
    az[i] = z;
  }
  __device__ float3 acceleration(int i) const { return make_float3(ax[i], ay[i], az[i]); }
  __device__ void setPlace(int i, Place p) const {
    px[i] = p.x;
    py[i] = p.y;
    pz[i] = p.z;
  }
  __device__ void setMotion(int i, Motion m) const {
    vx[i] = m.x;
    vy[i] = m.y;
    vz[i] = m.z;
  }
};

// Values that are read together packed by four: place and pressure, velocity and density.
struct Packed {
  float4 *places, *motions, *accelerations;
  __device__ Place place(int i) const {
    const float4 p = places[i];
    return {p.x, p.y, p.z, p.w};
  }
  __device__ Motion motion(int i) const {
    const float4 m = motions[i];
    return {m.x, m.y, m.z, m.w};
  }
  __device__ float densityOf(int i) const { return motions[i].w; }
  __device__ void setDensity(int i, float value) const { motions[i].w = value; }
  __device__ void setPressure(int i, float value) const { places[i].w = value; }
  __device__ void setAcceleration(int i, float x, float y, float z) const {
    accelerations[i] = make_float4(x, y, z, 0.0f);
  }
  __device__ float3 acceleration(int i) const {
    const float4 a = accelerations[i];
    return make_float3(a.x, a.y, a.z);
  }
  __device__ void setPlace(int i, Place p) const {
    places[i] = make_float4(p.x, p.y, p.z, p.pressure);
  }
  __device__ void setMotion(int i, Motion m) const {
    motions[i] = make_float4(m.x, m.y, m.z, m.density);
  }
};

// Tait's equation of state; tension at the free surface is cut off.
__host__ __device__ inline float pressureAt(float density, const Domain &d) {
  float stiffness = d.restDensity * d.soundSpeed * d.soundSpeed / 7.0f;
  float ratio = density / d.restDensity;
  float cube = ratio * ratio * ratio;
  float pressure = stiffness * (cube * cube * ratio - 1.0f);
  return pressure > 0.0f ? pressure : 0.0f;
}

template <class Layout>
__global__ void binParticles(Layout particles, int count, Domain d, int *cellCounts, int *cellSlots,
                             int *overflow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Place p = particles.place(i);
  float edge = 2.0f * d.smoothing;
  int cell = cellIndex(d, cellCoordinate(p.x, edge, d.cellsX), cellCoordinate(p.y, edge, d.cellsY),
                       cellCoordinate(p.z, edge, d.cellsZ));
  int slot = atomicAdd(&cellCounts[cell], 1);
  if (slot < kCellCapacity)
    cellSlots[cell * kCellCapacity + slot] = i;
  else
    *overflow = 1;
}

// Orders each cell's list by particle, so that sums do not depend on the order of the atomics.
__global__ void sortCells(int cells, int *cellCounts, int *cellSlots) {
  int cell = blockIdx.x * blockDim.x + threadIdx.x;
  if (cell >= cells)
    return;
  int n = cellCounts[cell] < kCellCapacity ? cellCounts[cell] : kCellCapacity;
  cellCounts[cell] = n;
  int *slots = cellSlots + cell * kCellCapacity;
  for (int a = 1; a < n; ++a) {
    int value = slots[a];
    int b = a - 1;
    while (b >= 0 && slots[b] > value) {
      slots[b + 1] = slots[b];
      --b;
    }
    slots[b + 1] = value;
  }
}

// Calls visit(j) for all particles in the 27 cells around a place.
template <class Visit>
__device__ inline void forNeighbours(const Place &p, const Domain &d, const int *cellCounts,
                                     const int *cellSlots, Visit visit) {
  float edge = 2.0f * d.smoothing;
  int cx = cellCoordinate(p.x, edge, d.cellsX);
  int cy = cellCoordinate(p.y, edge, d.cellsY);
  int cz = cellCoordinate(p.z, edge, d.cellsZ);
  for (int z = max(cz - 1, 0); z <= min(cz + 1, d.cellsZ - 1); ++z)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, d.cellsY - 1); ++y)
      for (int x = max(cx - 1, 0); x <= min(cx + 1, d.cellsX - 1); ++x) {
        int cell = cellIndex(d, x, y, z);
        for (int k = 0; k < cellCounts[cell]; ++k)
          visit(cellSlots[cell * kCellCapacity + k]);
      }
}

template <class Layout>
__global__ void computeDensity(Layout particles, int count, Domain d, const int *cellCounts,
                               const int *cellSlots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Place p = particles.place(i);
  float sum = 0.0f;
  forNeighbours(p, d, cellCounts, cellSlots, [&](int j) {
    const Place o = particles.place(j);
    float dx = p.x - o.x, dy = p.y - o.y, dz = p.z - o.z;
    sum += splineValue(sqrtf(dx * dx + dy * dy + dz * dz), d.smoothing);
  });
  particles.setDensity(i, d.mass * sum);
}

template <class Layout> __global__ void computePressure(Layout particles, int count, Domain d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    particles.setPressure(i, pressureAt(particles.densityOf(i), d));
}

template <class Layout>
__global__ void computeForce(Layout particles, int count, Domain d, const int *cellCounts,
                             const int *cellSlots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Place p = particles.place(i);
  const Motion m = particles.motion(i);
  float pressureTerm = p.pressure / (m.density * m.density);
  float edge = 2.0f * d.smoothing;
  float ax = 0.0f, ay = 0.0f, az = -d.gravity;
  forNeighbours(p, d, cellCounts, cellSlots, [&](int j) {
    const Place o = particles.place(j);
    float dx = p.x - o.x, dy = p.y - o.y, dz = p.z - o.z;
    float r2 = dx * dx + dy * dy + dz * dz;
    if (j == i || r2 >= edge * edge)
      return;
    const Motion om = particles.motion(j);
    float term = pressureTerm + o.pressure / (om.density * om.density);
    float approach = dx * (m.x - om.x) + dy * (m.y - om.y) + dz * (m.z - om.z);
    if (approach < 0.0f) {
      float mu = d.smoothing * approach / (r2 + 0.01f * d.smoothing * d.smoothing);
      term -= d.viscosity * d.soundSpeed * mu / (0.5f * (m.density + om.density));
    }
    float slope = d.mass * term * splineSlope(sqrtf(r2), d.smoothing);
    ax -= slope * dx;
    ay -= slope * dy;
    az -= slope * dz;
  });
  particles.setAcceleration(i, ax, ay, az);
}

// Repulsion of two opposite walls on a particle closer than half a particle spacing: a spring whose
// energy at the wall is a twentieth of c^2, enough to stop any particle of the collapse.
__host__ __device__ inline float wallAcceleration(float position, float size, const Domain &d) {
  float reach = d.smoothing / 2.4f;
  float stiffness = 0.1f * d.soundSpeed * d.soundSpeed / (reach * reach);
  if (position < reach)
    return stiffness * (reach - position);
  if (position > size - reach)
    return stiffness * (size - reach - position);
  return 0.0f;
}

// Keeps a coordinate inside [0, size]; a particle that would leave bounces with half its speed.
__host__ __device__ inline void reflect(float &position, float &velocity, float size) {
  if (position < 0.0f) {
    position = -position;
    velocity = -0.5f * velocity;
  } else if (position > size) {
    position = 2.0f * size - position;
    velocity = -0.5f * velocity;
  }
}

template <class Layout> __global__ void integrate(Layout particles, int count, Domain d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  Place p = particles.place(i);
  Motion m = particles.motion(i);
  const float3 a = particles.acceleration(i);
  m.x += d.timeStep * (a.x + wallAcceleration(p.x, d.width, d));
  m.y += d.timeStep * (a.y + wallAcceleration(p.y, d.depth, d));
  m.z += d.timeStep * (a.z + wallAcceleration(p.z, d.height, d));
  p.x += d.timeStep * m.x;
  p.y += d.timeStep * m.y;
  p.z += d.timeStep * m.z;
  reflect(p.x, m.x, d.width);
  reflect(p.y, m.y, d.depth);
  reflect(p.z, m.z, d.height);
  particles.setPlace(i, p);
  particles.setMotion(i, m);
}

template <class Layout> __global__ void load(Layout particles, int count, const float3 *places) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  particles.setPlace(i, {places[i].x, places[i].y, places[i].z, 0.0f});
  particles.setMotion(i, {0.0f, 0.0f, 0.0f, 0.0f});
}

template <class Layout>
__global__ void store(Layout particles, int count, float3 *places, float3 *velocities) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  const Place p = particles.place(i);
  const Motion m = particles.motion(i);
  places[i] = make_float3(p.x, p.y, p.z);
  velocities[i] = make_float3(m.x, m.y, m.z);
}

// A cube of water of edge 1 m in the corner of a box of 3 m x 1 m x 2 m.
Domain makeDomain(int side) {
  float spacing = 1.0f / side;
  Domain d;
  d.width = 3.0f;
  d.depth = 1.0f;
  d.height = 2.0f;
  d.smoothing = 1.2f * spacing;
  d.restDensity = 1000.0f;
  d.mass = d.restDensity * spacing * spacing * spacing;
  d.gravity = 9.81f;
  d.soundSpeed = 10.0f * std::sqrt(2.0f * d.gravity * 1.0f); // ten times the largest fall speed
  d.viscosity = 0.1f;
  d.timeStep = 0.2f * d.smoothing / d.soundSpeed;
  float edge = 2.0f * d.smoothing;
  d.cellsX = (int)(d.width / edge) + 1;
  d.cellsY = (int)(d.depth / edge) + 1;
  d.cellsZ = (int)(d.height / edge) + 1;
  return d;
}

std::vector<float3> makeColumn(int side, unsigned seed) {
  float spacing = 1.0f / side;
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> jitter(-0.01f * spacing, 0.01f * spacing);
  std::vector<float3> places;
  places.reserve((std::size_t)side * side * side);
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        float3 p;
        p.x = (x + 0.5f) * spacing + jitter(random);
        p.y = (y + 0.5f) * spacing + jitter(random);
        p.z = (z + 0.5f) * spacing + jitter(random);
        places.push_back(p);
      }
  return places;
}

template <class T> T *allocate(std::size_t count) {
  T *pointer = nullptr;
  CHECK(cudaMalloc(&pointer, count * sizeof(T)));
  CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
  return pointer;
}

template <class Layout>
bool run(const char *name, Layout particles, std::vector<float3> places, const Domain &domain,
         int steps) {
  const int count = (int)places.size();
  const int cells = domain.cellsX * domain.cellsY * domain.cellsZ;
  const int threads = 128;
  const int blocks = (count + threads - 1) / threads;
  const int cellBlocks = (cells + threads - 1) / threads;
  int *cellCounts = allocate<int>(cells);
  int *cellSlots = allocate<int>((std::size_t)cells * kCellCapacity);
  int *overflow = allocate<int>(1);
  float3 *devicePlaces = allocate<float3>(count), *deviceVelocities = allocate<float3>(count);
  CHECK(cudaMemcpy(devicePlaces, places.data(), count * sizeof(float3), cudaMemcpyHostToDevice));
  load<<<blocks, threads>>>(particles, count, devicePlaces);

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  for (int step = 0; step < steps; ++step) {
    CHECK(cudaMemsetAsync(cellCounts, 0, cells * sizeof(int)));
    binParticles<<<blocks, threads>>>(particles, count, domain, cellCounts, cellSlots, overflow);
    sortCells<<<cellBlocks, threads>>>(cells, cellCounts, cellSlots);
    computeDensity<<<blocks, threads>>>(particles, count, domain, cellCounts, cellSlots);
    computePressure<<<blocks, threads>>>(particles, count, domain);
    computeForce<<<blocks, threads>>>(particles, count, domain, cellCounts, cellSlots);
    integrate<<<blocks, threads>>>(particles, count, domain);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));

  store<<<blocks, threads>>>(particles, count, devicePlaces, deviceVelocities);
  std::vector<float3> velocities(count);
  int overflowed = 0;
  CHECK(cudaMemcpy(&overflowed, overflow, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(places.data(), devicePlaces, count * sizeof(float3), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(velocities.data(), deviceVelocities, count * sizeof(float3),
                   cudaMemcpyDeviceToHost));
  for (int *pointer : {cellCounts, cellSlots, overflow})
    CHECK(cudaFree(pointer));
  CHECK(cudaFree(devicePlaces));
  CHECK(cudaFree(deviceVelocities));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double energy = 0.0;
  float front = 0.0f;
  for (int i = 0; i < count; ++i) {
    const float3 v = velocities[i];
    energy +=
        domain.mass * (0.5 * (v.x * v.x + v.y * v.y + v.z * v.z) + domain.gravity * places[i].z);
    front = std::max(front, places[i].x);
  }
  std::printf("%-7s %d particles, %d steps of %.3g s: front at %.4f m, energy %.6g J%s\n", name,
              count, steps, domain.timeStep, front, energy,
              overflowed ? ", a cell is too full" : "");
  std::printf("%-7s kernel time: %.4f ms, %.2f M updates/s\n", name, elapsedMs,
              1e-3 * count * steps / elapsedMs);
  return !overflowed;
}

int main(int argc, char **argv) {
  int side = 12, steps = 10;
  unsigned seed = 1;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--side") == 0)
      side = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--side N] [--steps N] [--seed N]\n", argv[0]);
      return 2;
    }
  }
  const Domain domain = makeDomain(side);
  const std::vector<float3> places = makeColumn(side, seed);
  const std::size_t count = places.size();
  float *values[11];
  for (float *&value : values)
    value = allocate<float>(count);
  const Arrays arrays = {values[0], values[1], values[2], values[3], values[4], values[5],
                         values[6], values[7], values[8], values[9], values[10]};
  const Packed packed = {allocate<float4>(count), allocate<float4>(count), allocate<float4>(count)};
  const bool first = run("soa", arrays, places, domain, steps);
  const bool second = run("packed", packed, places, domain, steps);
  for (float *value : values)
    CHECK(cudaFree(value));
  for (float4 *value : {packed.places, packed.motions, packed.accelerations})
    CHECK(cudaFree(value));
  return first && second ? 0 : 1;
}
