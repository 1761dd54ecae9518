// SPDX-License-Identifier: Apache-2.0
// Compressible Euler equations on a tetrahedral mesh: a blast in a closed box, cell-centred finite
// volumes. See README.md for the equations; gas.cu has the kernels.
#include "gas.h"
#include "mesh.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

struct Options {
  int edge = 12; // hexahedra along an edge of the box
  int steps = 4;
  unsigned seed = 1;
  bool shuffle = false;
  bool check = false;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0 || std::strcmp(argv[i], "--shuffle") == 0) {
      (argv[i][2] == 'c' ? options.check : options.shuffle) = true;
      continue;
    }
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--edge") == 0)
      options.edge = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--edge N] [--steps N] [--seed N] [--shuffle] [--check]\n",
                   argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

std::vector<Cell> makeCells(const std::vector<Tetrahedron> &tetrahedra) {
  std::vector<Cell> cells(tetrahedra.size());
  for (std::size_t n = 0; n < cells.size(); ++n) {
    cells[n].volume = (float)tetrahedra[n].volume;
    for (int face = 0; face < 4; ++face) {
      cells[n].neighbour[face] = tetrahedra[n].neighbours[face];
      cells[n].nx[face] = (float)tetrahedra[n].normals[face][0];
      cells[n].ny[face] = (float)tetrahedra[n].normals[face][1];
      cells[n].nz[face] = (float)tetrahedra[n].normals[face][2];
    }
  }
  return cells;
}

// Gas at rest, ten times the pressure inside a ball.
std::vector<State> makeStates(const std::vector<Tetrahedron> &tetrahedra) {
  std::vector<State> states;
  for (const Tetrahedron &t : tetrahedra) {
    const Vector fromCentre = minus(t.centre, {0.4, 0.5, 0.5});
    const float pressure = dot(fromCentre, fromCentre) < 0.25 * 0.25 ? 10.0f : 1.0f;
    states.push_back({1.0f, 0.0f, 0.0f, 0.0f, pressure / (kGamma - 1.0f)});
  }
  return states;
}

using Conserved = std::array<double, 5>; // density, momentum, energy

double referencePressure(const Conserved &u) {
  return (double(kGamma) - 1.0) * (u[4] - 0.5 * (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / u[0]);
}

Conserved referenceFlux(const Conserved &u, const Vector &normal) {
  const double pressure = referencePressure(u);
  const double speed = dot({u[1], u[2], u[3]}, normal) / u[0];
  Conserved flux;
  for (int n = 0; n < 5; ++n)
    flux[n] = u[n] * speed;
  for (int axis = 0; axis < 3; ++axis)
    flux[1 + axis] += pressure * normal[axis];
  flux[4] += pressure * speed;
  return flux;
}

double referenceSpeed(const Conserved &u, const Vector &normal) {
  return std::fabs(dot({u[1], u[2], u[3]}, normal)) / u[0] +
         std::sqrt(kGamma * referencePressure(u) / u[0] * dot(normal, normal));
}

// The same scheme in double precision, face by face: what leaves one cell enters the other.
std::vector<Conserved> referenceStates(const std::vector<Tetrahedron> &tetrahedra,
                                       const std::vector<State> &initial, int steps) {
  std::vector<Conserved> states;
  for (const State &s : initial)
    states.push_back({s.density, s.mx, s.my, s.mz, s.energy});
  for (int step = 0; step < steps; ++step) {
    double fastest = 0.0;
    for (std::size_t n = 0; n < states.size(); ++n) {
      double rate = 0.0;
      for (const Vector &normal : tetrahedra[n].normals)
        rate += 0.5 * referenceSpeed(states[n], normal) / tetrahedra[n].volume;
      fastest = std::max(fastest, rate);
    }
    const std::vector<Conserved> olds = states;
    for (int stage = 0; stage < kStages; ++stage) {
      std::vector<Conserved> inflows(states.size(), Conserved{});
      for (std::size_t n = 0; n < states.size(); ++n)
        for (int face = 0; face < 4; ++face) {
          const int other = tetrahedra[n].neighbours[face];
          const Vector &normal = tetrahedra[n].normals[face];
          if (other < 0) {
            for (int axis = 0; axis < 3; ++axis)
              inflows[n][1 + axis] -= referencePressure(states[n]) * normal[axis];
          } else if (other > (int)n) {
            const Conserved here = referenceFlux(states[n], normal);
            const Conserved there = referenceFlux(states[other], normal);
            const double speed =
                std::max(referenceSpeed(states[n], normal), referenceSpeed(states[other], normal));
            for (int m = 0; m < 5; ++m) {
              double flux = 0.5 * (here[m] + there[m] - speed * (states[other][m] - states[n][m]));
              inflows[n][m] -= flux;
              inflows[other][m] += flux;
            }
          }
        }
      const double part = kCourant / fastest / (kStages - stage);
      for (std::size_t n = 0; n < states.size(); ++n)
        for (int m = 0; m < 5; ++m)
          states[n][m] = olds[n][m] + part / tetrahedra[n].volume * inflows[n][m];
    }
  }
  return states;
}

struct Totals {
  double mass = 0.0, energy = 0.0, kinetic = 0.0, lowestPressure = 1e30;
};

Totals totalsOf(const std::vector<Cell> &cells, const std::vector<State> &states) {
  Totals totals;
  for (std::size_t n = 0; n < cells.size(); ++n) {
    const State &s = states[n];
    totals.mass += double(cells[n].volume) * s.density;
    totals.energy += double(cells[n].volume) * s.energy;
    totals.kinetic += 0.5 * cells[n].volume *
                      (double(s.mx) * s.mx + double(s.my) * s.my + double(s.mz) * s.mz) / s.density;
    totals.lowestPressure =
        std::fmin(totals.lowestPressure, pressureOf(s.density, s.mx, s.my, s.mz, s.energy));
  }
  return totals;
}

bool isRight(const Mesh &mesh, const std::vector<Cell> &cells, const std::vector<State> &initial,
             const std::vector<State> &states, int steps) {
  const Totals before = totalsOf(cells, initial), after = totalsOf(cells, states);
  const double massError = std::fabs(after.mass / before.mass - 1.0);
  const double energyError = std::fabs(after.energy / before.energy - 1.0);
  const bool conserved = massError < 1e-5 && energyError < 1e-5 && after.lowestPressure > 0.0;
  std::printf("check: mass off by %.1e, energy by %.1e, lowest pressure %.3f: %s\n", massError,
              energyError, after.lowestPressure, conserved ? "ok" : "WRONG");
  const std::vector<Conserved> reference = referenceStates(mesh.tetrahedra(), initial, steps);
  double worst = 0.0;
  for (std::size_t n = 0; n < states.size(); ++n) {
    const State &s = states[n];
    const Conserved values = {s.density, s.mx, s.my, s.mz, s.energy};
    for (int m = 0; m < 5; ++m) {
      double error = std::fabs(values[m] - reference[n][m]);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
  }
  const bool close = worst < 1e-3;
  std::printf("check: largest difference from the serial reference %.2e: %s\n", worst,
              close ? "ok" : "WRONG");
  return conserved && close;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const Mesh mesh(options.edge, options.shuffle, options.seed);
  const std::vector<Cell> cells = makeCells(mesh.tetrahedra());
  const std::vector<State> initial = makeStates(mesh.tetrahedra());
  std::vector<State> states = initial;
  const int count = (int)cells.size();

  Cell *deviceCells = nullptr;
  State *deviceStates = nullptr, *deviceOlds = nullptr, *deviceInflows = nullptr;
  int *deviceFastest = nullptr; // one a step
  CHECK(cudaMalloc(&deviceCells, count * sizeof(Cell)));
  CHECK(cudaMalloc(&deviceStates, count * sizeof(State)));
  CHECK(cudaMalloc(&deviceOlds, count * sizeof(State)));
  CHECK(cudaMalloc(&deviceInflows, count * sizeof(State)));
  CHECK(cudaMalloc(&deviceFastest, options.steps * sizeof(int)));
  CHECK(cudaMemset(deviceFastest, 0, options.steps * sizeof(int)));
  CHECK(cudaMemcpy(deviceCells, cells.data(), count * sizeof(Cell), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceStates, states.data(), count * sizeof(State), cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));
  for (int step = 0; step < options.steps; ++step) {
    measureFastest(deviceCells, deviceStates, count, deviceFastest + step);
    State *swap = deviceOlds;
    deviceOlds = deviceStates;
    deviceStates = swap;
    advanceStep(deviceCells, deviceOlds, deviceStates, deviceInflows, count, deviceFastest + step);
  }
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  std::vector<int> fastest(options.steps);
  CHECK(cudaMemcpy(fastest.data(), deviceFastest, options.steps * sizeof(int),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(states.data(), deviceStates, count * sizeof(State), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceCells));
  CHECK(cudaFree(deviceStates));
  CHECK(cudaFree(deviceOlds));
  CHECK(cudaFree(deviceInflows));
  CHECK(cudaFree(deviceFastest));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double time = 0.0;
  for (int bits : fastest) {
    float rate;
    std::memcpy(&rate, &bits, sizeof rate);
    time += kCourant / rate;
  }
  const Totals totals = totalsOf(cells, states);
  std::printf("%d cells, %d steps to time %.5f: mass %.6f, energy %.6f, kinetic %.7f\n", count,
              options.steps, time, totals.mass, totals.energy, totals.kinetic);
  std::printf("kernel time: %.4f ms, %.2f M updates/s\n", elapsedMs,
              1e-3 * count * kStages * options.steps / elapsedMs);
  return options.check && !isRight(mesh, cells, initial, states, options.steps) ? 1 : 0;
}
