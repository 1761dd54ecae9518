// SPDX-License-Identifier: Apache-2.0
// Weakly compressible smoothed particle hydrodynamics: a column of water collapses in a box.
// See README.md for the equations.
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

struct Particle {
  float px, py, pz; // position, m
  float vx, vy, vz; // velocity, m/s
  float ax, ay, az; // acceleration, m/s^2
  float density;    // kg/m^3
  float pressure;   // Pa
};

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

__global__ void binParticles(const Particle *particles, int count, Domain d, int *cellCounts,
                             int *cellSlots, int *overflow) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float edge = 2.0f * d.smoothing;
  int x = cellCoordinate(particles[i].px, edge, d.cellsX);
  int y = cellCoordinate(particles[i].py, edge, d.cellsY);
  int z = cellCoordinate(particles[i].pz, edge, d.cellsZ);
  int cell = cellIndex(d, x, y, z);
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

__global__ void computeDensity(Particle *particles, int count, Domain d, const int *cellCounts,
                               const int *cellSlots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float px = particles[i].px;
  float py = particles[i].py;
  float pz = particles[i].pz;
  float edge = 2.0f * d.smoothing;
  int cx = cellCoordinate(px, edge, d.cellsX);
  int cy = cellCoordinate(py, edge, d.cellsY);
  int cz = cellCoordinate(pz, edge, d.cellsZ);
  float sum = 0.0f;
  for (int z = max(cz - 1, 0); z <= min(cz + 1, d.cellsZ - 1); ++z)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, d.cellsY - 1); ++y)
      for (int x = max(cx - 1, 0); x <= min(cx + 1, d.cellsX - 1); ++x) {
        int cell = cellIndex(d, x, y, z);
        for (int k = 0; k < cellCounts[cell]; ++k) {
          int j = cellSlots[cell * kCellCapacity + k];
          float dx = px - particles[j].px;
          float dy = py - particles[j].py;
          float dz = pz - particles[j].pz;
          sum += splineValue(sqrtf(dx * dx + dy * dy + dz * dz), d.smoothing);
        }
      }
  particles[i].density = d.mass * sum;
}

// Tait's equation of state; tension at the free surface is cut off.
__global__ void computePressure(Particle *particles, int count, Domain d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float stiffness = d.restDensity * d.soundSpeed * d.soundSpeed / 7.0f;
  float ratio = particles[i].density / d.restDensity;
  float cube = ratio * ratio * ratio;
  float pressure = stiffness * (cube * cube * ratio - 1.0f);
  particles[i].pressure = pressure > 0.0f ? pressure : 0.0f;
}

__global__ void computeForce(Particle *particles, int count, Domain d, const int *cellCounts,
                             const int *cellSlots) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float px = particles[i].px;
  float py = particles[i].py;
  float pz = particles[i].pz;
  float vx = particles[i].vx;
  float vy = particles[i].vy;
  float vz = particles[i].vz;
  float density = particles[i].density;
  float pressureTerm = particles[i].pressure / (density * density);
  float edge = 2.0f * d.smoothing;
  int cx = cellCoordinate(px, edge, d.cellsX);
  int cy = cellCoordinate(py, edge, d.cellsY);
  int cz = cellCoordinate(pz, edge, d.cellsZ);
  float ax = 0.0f, ay = 0.0f, az = -d.gravity;
  for (int z = max(cz - 1, 0); z <= min(cz + 1, d.cellsZ - 1); ++z)
    for (int y = max(cy - 1, 0); y <= min(cy + 1, d.cellsY - 1); ++y)
      for (int x = max(cx - 1, 0); x <= min(cx + 1, d.cellsX - 1); ++x) {
        int cell = cellIndex(d, x, y, z);
        for (int k = 0; k < cellCounts[cell]; ++k) {
          int j = cellSlots[cell * kCellCapacity + k];
          float dx = px - particles[j].px;
          float dy = py - particles[j].py;
          float dz = pz - particles[j].pz;
          float r2 = dx * dx + dy * dy + dz * dz;
          if (j == i || r2 >= edge * edge)
            continue;
          float otherDensity = particles[j].density;
          float term = pressureTerm + particles[j].pressure / (otherDensity * otherDensity);
          float approach = dx * (vx - particles[j].vx) + dy * (vy - particles[j].vy) +
                           dz * (vz - particles[j].vz);
          if (approach < 0.0f) {
            float mu = d.smoothing * approach / (r2 + 0.01f * d.smoothing * d.smoothing);
            term -= d.viscosity * d.soundSpeed * mu / (0.5f * (density + otherDensity));
          }
          float slope = d.mass * term * splineSlope(sqrtf(r2), d.smoothing);
          ax -= slope * dx;
          ay -= slope * dy;
          az -= slope * dz;
        }
      }
  particles[i].ax = ax;
  particles[i].ay = ay;
  particles[i].az = az;
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

__global__ void integrate(Particle *particles, int count, Domain d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  Particle p = particles[i];
  p.vx += d.timeStep * (p.ax + wallAcceleration(p.px, d.width, d));
  p.vy += d.timeStep * (p.ay + wallAcceleration(p.py, d.depth, d));
  p.vz += d.timeStep * (p.az + wallAcceleration(p.pz, d.height, d));
  p.px += d.timeStep * p.vx;
  p.py += d.timeStep * p.vy;
  p.pz += d.timeStep * p.vz;
  reflect(p.px, p.vx, d.width);
  reflect(p.py, p.vy, d.depth);
  reflect(p.pz, p.vz, d.height);
  particles[i].px = p.px;
  particles[i].py = p.py;
  particles[i].pz = p.pz;
  particles[i].vx = p.vx;
  particles[i].vy = p.vy;
  particles[i].vz = p.vz;
}

struct Options {
  int side = 12; // particles along each edge of the water column
  int steps = 10;
  unsigned seed = 1;
  bool check = false;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.check = true;
      continue;
    }
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--side") == 0)
      options.side = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--side N] [--steps N] [--seed N] [--check]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
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

std::vector<Particle> makeColumn(int side, unsigned seed) {
  float spacing = 1.0f / side;
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> jitter(-0.01f * spacing, 0.01f * spacing);
  std::vector<Particle> particles;
  particles.reserve((std::size_t)side * side * side);
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        Particle p{};
        p.px = (x + 0.5f) * spacing + jitter(random);
        p.py = (y + 0.5f) * spacing + jitter(random);
        p.pz = (z + 0.5f) * spacing + jitter(random);
        p.density = 1000.0f;
        particles.push_back(p);
      }
  return particles;
}

// One step of the same method, serially, over all pairs.
void referenceStep(std::vector<Particle> &particles, const Domain &d) {
  const float support2 = 4.0f * d.smoothing * d.smoothing;
  for (Particle &p : particles) {
    float sum = 0.0f;
    for (const Particle &o : particles) {
      float dx = p.px - o.px, dy = p.py - o.py, dz = p.pz - o.pz;
      float r2 = dx * dx + dy * dy + dz * dz;
      if (r2 < support2)
        sum += splineValue(std::sqrt(r2), d.smoothing);
    }
    p.density = d.mass * sum;
    float pressure = d.restDensity * d.soundSpeed * d.soundSpeed / 7.0f *
                     (std::pow(p.density / d.restDensity, 7.0f) - 1.0f);
    p.pressure = std::max(pressure, 0.0f);
  }
  for (Particle &p : particles) {
    p.ax = p.ay = 0.0f;
    p.az = -d.gravity;
    for (const Particle &o : particles) {
      float dx = p.px - o.px, dy = p.py - o.py, dz = p.pz - o.pz;
      float r2 = dx * dx + dy * dy + dz * dz;
      if (&o == &p || r2 >= support2)
        continue;
      float term = p.pressure / (p.density * p.density) + o.pressure / (o.density * o.density);
      float approach = dx * (p.vx - o.vx) + dy * (p.vy - o.vy) + dz * (p.vz - o.vz);
      if (approach < 0.0f)
        term -= d.viscosity * d.soundSpeed * d.smoothing * approach /
                (r2 + 0.01f * d.smoothing * d.smoothing) / (0.5f * (p.density + o.density));
      float slope = d.mass * term * splineSlope(std::sqrt(r2), d.smoothing);
      p.ax -= slope * dx;
      p.ay -= slope * dy;
      p.az -= slope * dz;
    }
  }
  for (Particle &p : particles) {
    p.vx += d.timeStep * (p.ax + wallAcceleration(p.px, d.width, d));
    p.vy += d.timeStep * (p.ay + wallAcceleration(p.py, d.depth, d));
    p.vz += d.timeStep * (p.az + wallAcceleration(p.pz, d.height, d));
    p.px += d.timeStep * p.vx;
    p.py += d.timeStep * p.vy;
    p.pz += d.timeStep * p.vz;
    reflect(p.px, p.vx, d.width);
    reflect(p.py, p.vy, d.depth);
    reflect(p.pz, p.vz, d.height);
  }
}

double mechanicalEnergy(const std::vector<Particle> &particles, const Domain &d) {
  double energy = 0.0;
  for (const Particle &p : particles)
    energy += d.mass * (0.5 * (p.vx * p.vx + p.vy * p.vy + p.vz * p.vz) + d.gravity * p.pz);
  return energy;
}

// Physics: nobody leaves the box, energy is not created, the water stays nearly incompressible, and
// its front is no faster than a dam break over a dry bed can be.
bool isPhysical(const std::vector<Particle> &initial, const std::vector<Particle> &particles,
                const Domain &d, int steps) {
  bool inside = true;
  double densest = 0.0, front = 0.0;
  for (const Particle &p : particles) {
    inside = inside && p.px >= 0.0f && p.px <= d.width && p.py >= 0.0f && p.py <= d.depth &&
             p.pz >= 0.0f && p.pz <= d.height;
    densest = std::max(densest, (double)p.density);
    front = std::max(front, (double)p.px);
  }
  double fastestFront = 1.0 + 2.0 * std::sqrt(d.gravity * 1.0) * steps * d.timeStep;
  double before = mechanicalEnergy(initial, d), after = mechanicalEnergy(particles, d);
  bool good =
      inside && densest < 1.15 * d.restDensity && after < 1.02 * before && front < fastestFront;
  std::printf("check: energy %.4g J of %.4g J, greatest density %.1f kg/m3, all inside: %s: %s\n",
              after, before, densest, inside ? "yes" : "no", good ? "ok" : "WRONG");
  return good;
}

bool agreesWithReference(std::vector<Particle> reference, const std::vector<Particle> &particles,
                         const Domain &d, int steps) {
  const int comparable = 50; // neighbouring trajectories part exponentially: rounding decides later
  if (steps > comparable) {
    std::printf("check: more than %d steps are not compared with the reference\n", comparable);
    return true;
  }
  for (int step = 0; step < steps; ++step)
    referenceStep(reference, d);
  double worst = 0.0;
  for (std::size_t i = 0; i < particles.size(); ++i)
    for (double difference : {std::fabs(particles[i].px - reference[i].px),
                              std::fabs(particles[i].py - reference[i].py),
                              std::fabs(particles[i].pz - reference[i].pz)})
      if (!(difference <= worst)) // also true for NaN
        worst = difference;
  double allowed = 2e-5 * d.smoothing;
  bool good = worst < allowed;
  std::printf("check: largest distance from the serial reference %.2e m, allowed %.2e: %s\n", worst,
              allowed, good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  Domain domain = makeDomain(options.side);
  const std::vector<Particle> initial = makeColumn(options.side, options.seed);
  std::vector<Particle> particles = initial;
  const int count = (int)particles.size();
  const int cells = domain.cellsX * domain.cellsY * domain.cellsZ;

  Particle *deviceParticles = nullptr;
  int *cellCounts = nullptr, *cellSlots = nullptr, *overflow = nullptr;
  CHECK(cudaMalloc(&deviceParticles, count * sizeof(Particle)));
  CHECK(cudaMalloc(&cellCounts, cells * sizeof(int)));
  CHECK(cudaMalloc(&cellSlots, (size_t)cells * kCellCapacity * sizeof(int)));
  CHECK(cudaMalloc(&overflow, sizeof(int)));
  CHECK(cudaMemset(overflow, 0, sizeof(int)));
  CHECK(cudaMemcpy(deviceParticles, particles.data(), count * sizeof(Particle),
                   cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int threads = 128;
  const int blocks = (count + threads - 1) / threads;
  const int cellBlocks = (cells + threads - 1) / threads;
  CHECK(cudaEventRecord(start));
  for (int step = 0; step < options.steps; ++step) {
    CHECK(cudaMemsetAsync(cellCounts, 0, cells * sizeof(int)));
    binParticles<<<blocks, threads>>>(deviceParticles, count, domain, cellCounts, cellSlots,
                                      overflow);
    sortCells<<<cellBlocks, threads>>>(cells, cellCounts, cellSlots);
    computeDensity<<<blocks, threads>>>(deviceParticles, count, domain, cellCounts, cellSlots);
    computePressure<<<blocks, threads>>>(deviceParticles, count, domain);
    computeForce<<<blocks, threads>>>(deviceParticles, count, domain, cellCounts, cellSlots);
    integrate<<<blocks, threads>>>(deviceParticles, count, domain);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));

  int overflowed = 0;
  CHECK(cudaMemcpy(&overflowed, overflow, sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(particles.data(), deviceParticles, count * sizeof(Particle),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceParticles));
  CHECK(cudaFree(cellCounts));
  CHECK(cudaFree(cellSlots));
  CHECK(cudaFree(overflow));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  if (overflowed) {
    std::fprintf(stderr, "a cell holds more than %d particles\n", kCellCapacity);
    return 1;
  }

  float front = 0.0f;
  for (const Particle &p : particles)
    front = std::max(front, p.px);
  std::printf("%d particles, %d steps of %.3g s: front at %.4f m, energy %.6g J\n", count,
              options.steps, domain.timeStep, front, mechanicalEnergy(particles, domain));
  std::printf("kernel time: %.4f ms, %.2f M updates/s\n", elapsedMs,
              1e-3 * count * options.steps / elapsedMs);
  if (options.check) {
    bool physical = isPhysical(initial, particles, domain, options.steps);
    bool agrees = agreesWithReference(initial, particles, domain, options.steps);
    return physical && agrees ? 0 : 1;
  }
  return 0;
}
