// SPDX-License-Identifier: Apache-2.0
// Jacobi sweeps over a Poisson equation in general coordinates, the kernel of the Himeno benchmark.
// See README.md for the equation.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

// All that belongs to one cell of the grid. The pressure lives in two fields: a sweep reads one and
// writes the other, the next sweep goes back.
struct Cell {
  float a0, a1, a2, a3; // coefficients of the neighbours above, and one over the diagonal
  float b0, b1, b2;     // of the mixed derivatives
  float c0, c1, c2;     // of the neighbours below
  float p;              // pressure after an even number of sweeps
  float wrk1;           // source term
  float wrk2;           // pressure after an odd number of sweeps
  float bnd;            // 1 where the pressure is unknown, 0 where it is held
};

// Cells along i (slowest), j and k (fastest); the outermost ones are boundary.
struct Grid {
  int imax, jmax, kmax;
};

const float kOmega = 0.8f;

template <bool kOdd> __host__ __device__ inline float pressure(const Cell *cells, int cell) {
  if constexpr (kOdd)
    return cells[cell].wrk2;
  else
    return cells[cell].p;
}

// One sweep: from p to wrk2, or, in an odd sweep, from wrk2 to p.
template <bool kOdd> __global__ void sweep(Cell *cells, Grid grid) {
  int k = blockIdx.x * blockDim.x + threadIdx.x + 1;
  int j = blockIdx.y * blockDim.y + threadIdx.y + 1;
  int i = blockIdx.z * blockDim.z + threadIdx.z + 1;
  if (i >= grid.imax - 1 || j >= grid.jmax - 1 || k >= grid.kmax - 1)
    return;
  const int up = grid.jmax * grid.kmax, row = grid.kmax;
  const int at = i * up + j * row + k;
  float s0 =
      cells[at].a0 * pressure<kOdd>(cells, at + up) +
      cells[at].a1 * pressure<kOdd>(cells, at + row) +
      cells[at].a2 * pressure<kOdd>(cells, at + 1) +
      cells[at].b0 * (pressure<kOdd>(cells, at + up + row) - pressure<kOdd>(cells, at + up - row) -
                      pressure<kOdd>(cells, at - up + row) + pressure<kOdd>(cells, at - up - row)) +
      cells[at].b1 * (pressure<kOdd>(cells, at + row + 1) - pressure<kOdd>(cells, at - row + 1) -
                      pressure<kOdd>(cells, at + row - 1) + pressure<kOdd>(cells, at - row - 1)) +
      cells[at].b2 * (pressure<kOdd>(cells, at + up + 1) - pressure<kOdd>(cells, at - up + 1) -
                      pressure<kOdd>(cells, at + up - 1) + pressure<kOdd>(cells, at - up - 1)) +
      cells[at].c0 * pressure<kOdd>(cells, at - up) +
      cells[at].c1 * pressure<kOdd>(cells, at - row) +
      cells[at].c2 * pressure<kOdd>(cells, at - 1) + cells[at].wrk1;
  float old = pressure<kOdd>(cells, at);
  float change = (s0 * cells[at].a3 - old) * cells[at].bnd;
  if constexpr (kOdd)
    cells[at].p = old + kOmega * change;
  else
    cells[at].wrk2 = old + kOmega * change;
}

// Squares of what the last sweep changed, summed along k: one thread a row, in order.
__global__ void sumChanges(const Cell *cells, Grid grid, float *rowSums) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= grid.imax * grid.jmax)
    return;
  float sum = 0.0f;
  for (int k = 0; k < grid.kmax; ++k) {
    int at = row * grid.kmax + k;
    float change = (cells[at].wrk2 - cells[at].p) / kOmega;
    sum += change * change;
  }
  rowSums[row] = sum;
}

struct Options {
  Grid grid = {32, 32, 64};
  const char *size = "XS";
  int sweeps = 4;
  bool skew = false; // a sheared grid, whose mixed derivatives do not vanish
  bool check = false;
};

bool chooseSize(const char *name, Options &options) {
  const struct {
    const char *name;
    Grid grid;
  } sizes[] = {{"XS", {32, 32, 64}},
               {"S", {64, 64, 128}},
               {"M", {128, 128, 256}},
               {"L", {256, 256, 512}},
               {"XL", {512, 512, 1024}}};
  for (const auto &size : sizes)
    if (std::strcmp(name, size.name) == 0) {
      options.grid = size.grid;
      options.size = size.name;
      return true;
    }
  return false;
}

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.check = true;
      continue;
    }
    if (std::strcmp(argv[i], "--skew") == 0) {
      options.skew = true;
      continue;
    }
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (std::strcmp(argv[i], "--size") == 0 && chooseSize(value, options))
      ++i;
    else if (std::strcmp(argv[i], "--sweeps") == 0 && std::atoi(value) > 0) {
      options.sweeps = std::atoi(value);
      ++i;
    } else {
      std::fprintf(stderr, "usage: %s [--size XS|S|M|L|XL] [--sweeps N] [--skew] [--check]\n",
                   argv[0]);
      std::exit(2);
    }
  }
  return options;
}

// The benchmark's start: Laplace's equation, a pressure that grows with the square of i.
std::vector<Cell> makeCells(const Grid &grid, bool skew) {
  std::vector<Cell> cells((std::size_t)grid.imax * grid.jmax * grid.kmax);
  const float mixed = skew ? 0.1f : 0.0f;
  std::size_t at = 0;
  for (int i = 0; i < grid.imax; ++i) {
    float p = (float)(i * i) / (float)((grid.imax - 1) * (grid.imax - 1));
    for (int rest = 0; rest < grid.jmax * grid.kmax; ++rest)
      cells[at++] = {1.0f, 1.0f, 1.0f, 1.0f / 6.0f, mixed, mixed, mixed,
                     1.0f, 1.0f, 1.0f, p,           0.0f,  p,     1.0f};
  }
  return cells;
}

struct Solution {
  std::vector<double> p;
  double gosa = 0.0; // what the last sweep changed, squared and summed
};

// The same sweeps in double precision, the pressure in arrays of its own. A sheared grid has the
// second differences along three diagonals with the weight of the mixed derivatives.
Solution referenceSweeps(const std::vector<Cell> &cells, const Options &options) {
  const Grid grid = options.grid;
  const std::size_t row = grid.kmax, up = row * grid.jmax;
  const std::size_t diagonals[3][2] = {{up, row}, {row, 1}, {up, 1}};
  const double mixed = options.skew ? 0.1f : 0.0;
  Solution solution;
  for (const Cell &cell : cells)
    solution.p.push_back(cell.p);
  std::vector<double> next = solution.p;
  for (int n = 0; n < options.sweeps; ++n) {
    const std::vector<double> &p = solution.p;
    solution.gosa = 0.0;
    for (int i = 1; i < grid.imax - 1; ++i)
      for (int j = 1; j < grid.jmax - 1; ++j)
        for (int k = 1; k < grid.kmax - 1; ++k) {
          const std::size_t at = i * up + j * row + k;
          double sum = 0.0;
          for (std::size_t step : {up, row, std::size_t(1)})
            sum += p[at + step] + p[at - step];
          for (const auto &d : diagonals)
            sum += mixed * (p[at + d[0] + d[1]] - p[at - d[0] + d[1]] - p[at + d[0] - d[1]] +
                            p[at - d[0] - d[1]]);
          double change = sum / 6.0 - p[at];
          solution.gosa += change * change;
          next[at] = p[at] + kOmega * change;
        }
    solution.p.swap(next);
  }
  return solution;
}

bool agreesWithReference(const std::vector<Cell> &initial, const std::vector<Cell> &cells,
                         double gosa, const Options &options) {
  const Solution reference = referenceSweeps(initial, options);
  double worst = 0.0;
  for (std::size_t at = 0; at < cells.size(); ++at) {
    float p = options.sweeps % 2 ? cells[at].wrk2 : cells[at].p;
    double error = std::fabs(p - reference.p[at]);
    if (!(error <= worst)) // also true for NaN
      worst = error;
  }
  double gosaError = std::fabs(gosa - reference.gosa) / reference.gosa;
  // Each sweep rounds once more.
  bool good = worst < 2e-7 * (options.sweeps + 1) && gosaError < 1e-2;
  std::printf("check: largest difference from the reference %.2e, gosa %.6e of %.6e: %s\n", worst,
              gosa, reference.gosa, good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const Grid grid = options.grid;
  std::vector<Cell> cells = makeCells(grid, options.skew);
  const std::size_t bytes = cells.size() * sizeof(Cell);
  std::vector<float> rowSums((std::size_t)grid.imax * grid.jmax);

  Cell *deviceCells = nullptr;
  float *deviceRowSums = nullptr;
  CHECK(cudaMalloc(&deviceCells, bytes));
  CHECK(cudaMalloc(&deviceRowSums, rowSums.size() * sizeof(float)));
  CHECK(cudaMemcpy(deviceCells, cells.data(), bytes, cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const dim3 threads(64, 4, 1);
  const dim3 blocks((grid.kmax - 2 + threads.x - 1) / threads.x,
                    (grid.jmax - 2 + threads.y - 1) / threads.y, grid.imax - 2);
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < options.sweeps; ++n)
    if (n % 2 == 0)
      sweep<false><<<blocks, threads>>>(deviceCells, grid);
    else
      sweep<true><<<blocks, threads>>>(deviceCells, grid);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));

  const int rows = (int)rowSums.size();
  sumChanges<<<(rows + 127) / 128, 128>>>(deviceCells, grid, deviceRowSums);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(rowSums.data(), deviceRowSums, rowSums.size() * sizeof(float),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpy(cells.data(), deviceCells, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceCells));
  CHECK(cudaFree(deviceRowSums));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double gosa = 0.0;
  for (float sum : rowSums)
    gosa += sum;
  const double points = double(grid.imax - 2) * (grid.jmax - 2) * (grid.kmax - 2);
  std::printf("size %s (%d x %d x %d), %d sweeps: gosa %.6e\n", options.size, grid.imax, grid.jmax,
              grid.kmax, options.sweeps, gosa);
  std::printf("kernel time: %.4f ms, %.2f GFLOPS, %.1f useful GB/s\n", elapsedMs,
              1e-6 * points * 34 * options.sweeps / elapsedMs,
              1e-6 * points * 56 * options.sweeps / elapsedMs);
  return options.check && !agreesWithReference(makeCells(grid, options.skew), cells, gosa, options)
             ? 1
             : 0;
}
