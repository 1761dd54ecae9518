// SPDX-License-Identifier: Apache-2.0
// What CUDA's libraries compute, in sums that are exact. libraries_h200.txt is what an H200 prints
// (nvcc -std=c++17 -arch=native libraries.cu -lcufft, CUDA 13.0, driver 580); a test compares the
// CPU executor with it.
#include <cstdio>
#include <cub/cub.cuh>
#include <cufft.h>
#include <mma.h>
#include <type_traits>
#include <vector>

namespace wmma = nvcuda::wmma;

template <class T> T *onDevice(const std::vector<T> &values) {
  T *memory = nullptr;
  cudaMalloc(&memory, values.size() * sizeof(T));
  cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return memory;
}

template <class T> std::vector<T> onHost(const T *memory, size_t count) {
  std::vector<T> values(count);
  cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

template <class T> T *zeros(size_t count) { return onDevice(std::vector<T>(count)); }

// Products of the matrix units.

template <int M, int N, int K, class T, class Memory, class Sum, class OfA, class OfB>
__global__ void multiply(const Memory *a, const Memory *b, Sum *product, bool showsElements) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, OfA> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, OfB> right;
  wmma::fragment<wmma::accumulator, M, N, K, Sum> sums;
  wmma::load_matrix_sync(left, a, std::is_same<OfA, wmma::row_major>::value ? K : M);
  wmma::load_matrix_sync(right, b, std::is_same<OfB, wmma::row_major>::value ? N : K);
  wmma::fill_fragment(sums, Sum(1));
  wmma::mma_sync(sums, left, right, sums);
  for (int i = 0; i < sums.num_elements; ++i)
    sums.x[i] = sums.x[i] + sums.x[i];
  wmma::store_matrix_sync(product, sums, N, wmma::mem_row_major);
  if (threadIdx.x == 0 && showsElements)
    product[0] = Sum(float(left.num_elements * 100 + right.num_elements));
}

template <int M, int N, int K, class T, class Memory, class Sum, class OfA, class OfB>
void showProduct(const char *name) {
  std::vector<Memory> a(M * K), b(K * N);
  for (int i = 0; i < M * K; ++i)
    a[i] = Memory(float(i * 7 % 5));
  for (int i = 0; i < K * N; ++i)
    b[i] = Memory(float(i * 3 % 7));
  Sum *product = zeros<Sum>(M * N);
  const auto run = [&](bool showsElements) {
    multiply<M, N, K, T, Memory, Sum, OfA, OfB>
        <<<1, 32>>>(onDevice(a), onDevice(b), product, showsElements);
    return onHost(product, M * N);
  };
  double sum = 0;
  const std::vector<Sum> values = run(false);
  for (int i = 0; i < M * N; ++i)
    sum += (i % 13 + 1) * double(float(values[i]));
  printf("%s %.1f elements %.0f\n", name, sum, double(float(run(true)[0])));
}

void showProducts() {
  using Rows = wmma::row_major;
  using Columns = wmma::col_major;
  showProduct<16, 16, 16, half, half, float, Rows, Columns>("half 16x16");
  showProduct<32, 8, 16, half, half, float, Columns, Rows>("half 32x8");
  showProduct<8, 32, 16, half, half, half, Rows, Rows>("half 8x32");
  showProduct<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, Columns, Columns>("bf16");
  showProduct<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, Rows, Columns>("bf16 32x8");
  showProduct<16, 16, 8, wmma::precision::tf32, float, float, Rows, Columns>("tf32");
  showProduct<8, 8, 4, double, double, double, Rows, Columns>("double");
  showProduct<16, 16, 16, signed char, signed char, int, Rows, Columns>("s8");
  showProduct<8, 32, 16, unsigned char, unsigned char, int, Columns, Rows>("u8 8x32");
}

// Transforms, printed with fewer digits than they have.

void showTransforms() {
  const int nx = 12, ny = 10, nz = 9, count = nx * ny * nz;
  std::vector<cufftComplex> volume(count);
  for (int i = 0; i < count; ++i)
    volume[i] = {float(i % 17), float(i % 5)};
  cufftComplex *complex = onDevice(volume);
  cufftHandle plan;
  printf("plan %d\n", cufftPlan3d(&plan, nx, ny, nz, CUFFT_C2C));
  cufftExecC2C(plan, complex, complex, CUFFT_FORWARD);
  volume = onHost(complex, count);
  printf("fft3 %.0f %.0f %.0f\n", volume[1].x, volume[37].y, volume[500].x);

  std::vector<double> rows(4 * 100);
  for (int i = 0; i < 400; ++i)
    rows[i] = i * 31 % 19;
  double *real = onDevice(rows);
  cufftDoubleComplex *halves = zeros<cufftDoubleComplex>(4 * 51);
  cufftPlan1d(&plan, 100, CUFFT_D2Z, 4);
  cufftExecD2Z(plan, real, halves);
  const auto spectra = onHost(halves, 204);
  printf("d2z %.4f %.4f %.4f\n", spectra[3].x, spectra[60].y, spectra[203].x);
  cufftPlan1d(&plan, 100, CUFFT_Z2D, 4);
  cufftExecZ2D(plan, halves, real);
  printf("z2d %.4f\n", onHost(real, 400)[333]);

  int lengths[2] = {6, 7}, in[2] = {6, 9}, out[2] = {6, 5};
  std::vector<float> images(3 * 6 * 9);
  for (size_t i = 0; i < images.size(); ++i)
    images[i] = i % 11;
  cufftComplex *many = zeros<cufftComplex>(3 * 6 * 5);
  printf("many %d\n", cufftPlanMany(&plan, 2, lengths, in, 1, 54, out, 1, 30, CUFFT_R2C, 3));
  cufftExecR2C(plan, onDevice(images), many);
  const auto of = onHost(many, 90);
  printf("many %.3f %.3f %.3f %.3f\n", of[0].x, of[7].y, of[33].x, of[83].y);

  std::vector<float> padded(2 * 6 * 5 * 2);
  for (size_t i = 0; i < padded.size(); ++i)
    padded[i] = i % 13;
  float *inPlace = onDevice(padded);
  cufftPlan2d(&plan, 6, 8, CUFFT_R2C);
  cufftExecR2C(plan, inPlace, reinterpret_cast<cufftComplex *>(inPlace));
  padded = onHost(inPlace, 60);
  printf("in place %.3f %.3f\n", padded[3], padded[44]);
}

// Algorithms for whole arrays, and of a block.

/// The call that asks for the storage's bytes, and the one that works.
template <class Call> void inTwoCalls(Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  void *storage = nullptr;
  cudaMalloc(&storage, bytes + 1);
  call(storage, bytes);
}

void show(const char *name, const int *memory, size_t count) {
  const std::vector<int> values = onHost(memory, count);
  double sum = 0;
  for (size_t i = 0; i < count; ++i)
    sum += (i % 101 + 1) * double(values[i]);
  printf("%s %.1f first %.1f last %.1f\n", name, sum, double(values[0]), double(values[count - 1]));
}

struct IsEven {
  __host__ __device__ bool operator()(int value) const { return value % 2 == 0; }
};

struct Sum {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};
struct IsLess {
  __host__ __device__ bool operator()(int a, int b) const { return a < b; }
};

__global__ void ofABlock(int *keys, int *sums, int *histogram) {
  using Sort = cub::BlockRadixSort<int, 128, 4>;
  using Scan = cub::BlockScan<int, 128>;
  using Histogram = cub::BlockHistogram<unsigned char, 128, 4, 16>;
  __shared__ typename Sort::TempStorage forSort;
  __shared__ typename Scan::TempStorage forScan;
  __shared__ typename Histogram::TempStorage forHistogram;
  __shared__ unsigned int counts[16];
  int own[4], ownSums[4];
  unsigned char low[4];
  for (int i = 0; i < 4; ++i) {
    own[i] = keys[threadIdx.x * 4 + i];
    low[i] = own[i] & 15;
  }
  Sort(forSort).SortDescending(own);
  Scan(forScan).InclusiveSum(own, ownSums);
  for (int i = 0; i < 4; ++i) {
    keys[threadIdx.x * 4 + i] = own[i];
    sums[threadIdx.x * 4 + i] = ownSums[i];
  }
  Histogram(forHistogram).Histogram(low, counts);
  __syncthreads();
  if (threadIdx.x < 16)
    histogram[threadIdx.x] = counts[threadIdx.x];
}

void showAlgorithms() {
  using Bytes = size_t;
  const int n = 5000;
  std::vector<int> mixed(n), runs(n);
  for (int i = 0; i < n; ++i) {
    mixed[i] = (i * 7919 % 311) / 3;
    runs[i] = i / 7 % 13 + (i % 29 == 0);
  }
  const int *in = onDevice(mixed), *inRuns = onDevice(runs);
  const int *parts = onDevice(std::vector<int>{0, 17, 17, 900, 4100, 5000});
  int *out = zeros<int>(n), *counts = zeros<int>(n), *number = zeros<int>(2);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceRunLengthEncode::Encode(storage, bytes, inRuns, out, counts, number, n);
  });
  const int encoded = onHost(number, 1)[0];
  show("rle", out, encoded);
  show("rle counts", counts, encoded);
  show("rle runs", number, 1);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DevicePartition::If(storage, bytes, in, out, number, n, IsEven());
  });
  show("partition", out, n);
  show("partition num", number, 1);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceSelect::If(storage, bytes, in, out, number, n, IsEven());
  });
  show("select num", number, 1);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceHistogram::HistogramEven(storage, bytes, in, counts, 21, 0, 100, n);
  });
  show("histogram", counts, 20);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceSegmentedReduce::Sum(storage, bytes, in, out, 5, parts, parts + 1);
  });
  show("segment sums", out, 5);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceSegmentedSort::SortKeys(storage, bytes, in, out, n, 5, parts, parts + 1);
  });
  show("segment sort", out, n);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceSegmentedRadixSort::SortKeysDescending(storage, bytes, in, out, n, 5, parts,
                                                      parts + 1);
  });
  show("segment radix", out, n);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceRadixSort::SortPairs(storage, bytes, in, out, in, counts, n);
  });
  show("pairs", out, n);
  show("pairs values", counts, n);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceScan::InclusiveSum(storage, bytes, in, out, n);
  });
  show("scan", out, n);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceScan::ExclusiveSumByKey(storage, bytes, inRuns, in, out, n);
  });
  show("scan by key", out, n);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceReduce::ReduceByKey(storage, bytes, inRuns, out, in, counts, number, Sum(), n);
  });
  show("reduce by key", counts, onHost(number, 1)[0]);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceAdjacentDifference::SubtractLeftCopy(storage, bytes, in, out, n);
  });
  show("differences", out, n);
  int *keys = onDevice(mixed);
  inTwoCalls([&](void *storage, Bytes &bytes) {
    cub::DeviceMergeSort::SortKeys(storage, bytes, keys, n, IsLess());
  });
  show("merge sort", keys, n);
  keys = onDevice(std::vector<int>(mixed.begin(), mixed.begin() + 512));
  ofABlock<<<1, 128>>>(keys, out, counts);
  show("block sort", keys, 512);
  show("block scan", out, 512);
  show("block histogram", counts, 16);
}

int main() {
  showProducts();
  showTransforms();
  showAlgorithms();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
