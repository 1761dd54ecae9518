// SPDX-License-Identifier: Apache-2.0
// A star cluster under its own gravity: every body attracts every other, leapfrog in time.
// See README.md for the equations.
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

// In units where G = 1, the cluster's mass is 1 and its scale length is 1.
struct Body {
  float x, y, z;
  float mass;
  float vx, vy, vz;
};

const float kSoftening2 = 1e-4f; // epsilon squared

// Adds the acceleration of all bodies over a time to the velocity of each.
__global__ void kick(Body *bodies, int count, float time) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float x = bodies[i].x;
  float y = bodies[i].y;
  float z = bodies[i].z;
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int j = 0; j < count; ++j) {
    float dx = bodies[j].x - x;
    float dy = bodies[j].y - y;
    float dz = bodies[j].z - z;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + kSoftening2);
    float pull = bodies[j].mass * inverse * inverse * inverse;
    ax += pull * dx;
    ay += pull * dy;
    az += pull * dz;
  }
  bodies[i].vx += time * ax;
  bodies[i].vy += time * ay;
  bodies[i].vz += time * az;
}

__global__ void drift(Body *bodies, int count, float time) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  bodies[i].x += time * bodies[i].vx;
  bodies[i].y += time * bodies[i].vy;
  bodies[i].z += time * bodies[i].vz;
}

struct Options {
  int bodies = 1024;
  int steps = 3;
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
    if (value > 1 && std::strcmp(argv[i], "--bodies") == 0)
      options.bodies = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--bodies N] [--steps N] [--seed N] [--check]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

// A Plummer sphere in equilibrium: radii from the inverted mass profile, speeds by rejection from
// the distribution q^2 (1 - q^2)^(7/2) of the fraction q of the escape speed.
std::vector<Body> makeCluster(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  auto direction = [&](double length, float &x, float &y, float &z) {
    double cosine = 2.0 * unit(random) - 1.0, angle = 6.283185307179586 * unit(random);
    double sine = std::sqrt(1.0 - cosine * cosine);
    x = (float)(length * sine * std::cos(angle));
    y = (float)(length * sine * std::sin(angle));
    z = (float)(length * cosine);
  };
  std::vector<Body> bodies(count);
  for (Body &body : bodies) {
    double radius = 1.0 / std::sqrt(std::pow(0.01 + 0.98 * unit(random), -2.0 / 3.0) - 1.0);
    direction(radius, body.x, body.y, body.z);
    double q = 0.0, trial = 1.0;
    while (trial > q * q * std::pow(1.0 - q * q, 3.5)) {
      q = unit(random);
      trial = 0.1 * unit(random);
    }
    direction(q * std::sqrt(2.0) * std::pow(1.0 + radius * radius, -0.25), body.vx, body.vy,
              body.vz);
    body.mass = 1.0f / count;
  }
  return bodies;
}

double totalEnergy(const std::vector<Body> &bodies) {
  double energy = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Body &a = bodies[i];
    energy += 0.5 * a.mass * (double(a.vx) * a.vx + double(a.vy) * a.vy + double(a.vz) * a.vz);
    for (std::size_t j = 0; j < i; ++j) {
      const Body &b = bodies[j];
      double dx = double(a.x) - b.x, dy = double(a.y) - b.y, dz = double(a.z) - b.z;
      energy -= a.mass * b.mass / std::sqrt(dx * dx + dy * dy + dz * dz + kSoftening2);
    }
  }
  return energy;
}

// Three numbers a body.
struct Motion {
  std::vector<double> position, velocity;
};

// The same leapfrog in double precision, each pair visited once.
Motion referenceMotion(const std::vector<Body> &bodies, int steps, double timeStep) {
  const std::size_t count = bodies.size();
  std::vector<double> position, velocity;
  for (const Body &body : bodies) {
    position.insert(position.end(), {body.x, body.y, body.z});
    velocity.insert(velocity.end(), {body.vx, body.vy, body.vz});
  }
  auto kickAll = [&](double time) {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double d[3], r2 = kSoftening2;
        for (int axis = 0; axis < 3; ++axis) {
          d[axis] = position[3 * j + axis] - position[3 * i + axis];
          r2 += d[axis] * d[axis];
        }
        double pull = time / (r2 * std::sqrt(r2));
        for (int axis = 0; axis < 3; ++axis) {
          velocity[3 * i + axis] += bodies[j].mass * pull * d[axis];
          velocity[3 * j + axis] -= bodies[i].mass * pull * d[axis];
        }
      }
  };
  for (int step = 0; step < steps; ++step) {
    kickAll(0.5 * timeStep);
    for (std::size_t n = 0; n < position.size(); ++n)
      position[n] += timeStep * velocity[n];
    kickAll(0.5 * timeStep);
  }
  return {position, velocity};
}

bool agreesWithReference(const std::vector<Body> &initial, const std::vector<Body> &bodies,
                         int steps, double timeStep) {
  double before = totalEnergy(initial), after = totalEnergy(bodies);
  double energyError = std::fabs(after / before - 1.0);
  bool good = energyError < 1e-3;
  std::printf("check: energy %.6f of %.6f: %s\n", after, before, good ? "ok" : "WRONG");
  const int comparable = 50; // close encounters part trajectories: rounding decides later
  if (steps > comparable) {
    std::printf("check: more than %d steps are not compared with the reference\n", comparable);
    return good;
  }
  const Motion reference = referenceMotion(initial, steps, timeStep);
  double worst = 0.0, kicks = 0.0, kickErrors = 0.0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double position[3] = {bodies[i].x, bodies[i].y, bodies[i].z};
    const double velocity[3] = {bodies[i].vx, bodies[i].vy, bodies[i].vz};
    const double before[3] = {initial[i].vx, initial[i].vy, initial[i].vz};
    for (int axis = 0; axis < 3; ++axis) {
      const double difference = std::fabs(position[axis] - reference.position[3 * i + axis]);
      if (!(difference <= worst)) // also true for NaN
        worst = difference;
      const double expected = reference.velocity[3 * i + axis];
      kicks += std::pow(expected - before[axis], 2);
      kickErrors += std::pow(velocity[axis] - expected, 2);
    }
  }
  // Positions alone hardly show a wrong force within a few short steps. Velocities are kept to
  // about 1e-7, however little they change.
  const double kickError = std::sqrt(kickErrors / kicks);
  const double rounding = 1e-7 * std::sqrt(3.0 * bodies.size() / kicks);
  const bool close = worst < 1e-4 && kickError < 1e-3 + rounding * (steps + 1);
  std::printf("check: largest distance from the serial reference %.2e, changes of velocity off by "
              "%.1e: %s\n",
              worst, kickError, close ? "ok" : "WRONG");
  return good && close;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const float timeStep = 1.0f / 1024.0f;
  const std::vector<Body> initial = makeCluster(options.bodies, options.seed);
  std::vector<Body> bodies = initial;
  const std::size_t bytes = bodies.size() * sizeof(Body);

  Body *deviceBodies = nullptr;
  CHECK(cudaMalloc(&deviceBodies, bytes));
  CHECK(cudaMemcpy(deviceBodies, bodies.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int threads = 128;
  const int blocks = (options.bodies + threads - 1) / threads;
  CHECK(cudaEventRecord(start));
  kick<<<blocks, threads>>>(deviceBodies, options.bodies, 0.5f * timeStep);
  for (int step = 1; step <= options.steps; ++step) {
    drift<<<blocks, threads>>>(deviceBodies, options.bodies, timeStep);
    // The second half of this step's kick and the first half of the next one's.
    kick<<<blocks, threads>>>(deviceBodies, options.bodies,
                              step < options.steps ? timeStep : 0.5f * timeStep);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(bodies.data(), deviceBodies, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceBodies));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double speed2 = 0.0;
  for (const Body &body : bodies)
    speed2 += double(body.vx) * body.vx + double(body.vy) * body.vy + double(body.vz) * body.vz;
  const double interactions = double(options.bodies) * options.bodies * (options.steps + 1);
  std::printf("%d bodies, %d steps: root mean square speed %.6f\n", options.bodies, options.steps,
              std::sqrt(speed2 / options.bodies));
  std::printf("kernel time: %.4f ms, %.2f GFLOPS, %.2f G interactions/s\n", elapsedMs,
              1e-6 * 38 * interactions / elapsedMs, 1e-6 * interactions / elapsedMs);
  return options.check && !agreesWithReference(initial, bodies, options.steps, timeStep) ? 1 : 0;
}
