// SPDX-License-Identifier: Apache-2.0
// Arrays and extents are members of a class.
#include "stencil.cuh"

class Solver {
public:
  Solver(int nx, int ny, int nz) : nx_(nx), ny_(ny), nz_(nz) {
    cudaMalloc(&u_, bytes());
    cudaMalloc(&v_, bytes());
  }
  ~Solver() {
    cudaFree(u_);
    cudaFree(v_);
  }
  size_t bytes() const { return size_t(nx_) * ny_ * nz_ * sizeof(double); }
  void run(std::vector<double> &values) {
    cudaMemcpy(u_, values.data(), bytes(), cudaMemcpyHostToDevice);
    cudaMemcpy(v_, values.data(), bytes(), cudaMemcpyHostToDevice);
    for (int i = 0; i < kSteps; ++i) {
      step<<<blocks(nx_, ny_), threads()>>>(u_, v_, nx_, ny_, nz_);
      std::swap(u_, v_);
    }
    cudaMemcpy(values.data(), u_, bytes(), cudaMemcpyDeviceToHost);
  }

private:
  double *u_ = nullptr, *v_ = nullptr;
  int nx_, ny_, nz_;
};

int main(int argc, char **argv) {
  if (argc < 4)
    return 1;
  const int nx = std::atoi(argv[1]), ny = std::atoi(argv[2]), nz = std::atoi(argv[3]);
  std::vector<double> values = start(size_t(nx) * ny * nz);
  Solver solver(nx, ny, nz);
  solver.run(values);
  print(values);
}
