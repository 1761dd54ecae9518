// SPDX-License-Identifier: Apache-2.0
// Programs that strain the recorder on the host side: every form of launch, several streams,
// programs that end badly. What each must have counted, it prints itself.
//   launch_forms CASE [N]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

struct Cell {
  float value;
  float sum;
};

const int kThreads = 128;
const int kBlocks = 4;
const int kCells = kThreads * kBlocks;
const long kWarpsALaunch = kCells / 32;

// One read and one write a thread.
__global__ void touch(Cell *cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  cells[i].sum = cells[i].value + 1.0f;
}

// The same by way of shared memory.
__global__ void touchShared(Cell *cells) {
  extern __shared__ float values[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[threadIdx.x] = cells[i].value;
  cells[i].sum = values[threadIdx.x] + 1.0f;
}

// `repeats` reads a thread.
__global__ void readMuch(Cell *cells, int repeats) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < repeats; ++k)
    sum += cells[(i + k) & (kCells - 1)].value;
  if (sum < 0.0f)
    cells[i & (kCells - 1)].sum = sum;
}

// Runs until the clock has gone on by so much.
__global__ void linger(Cell *cells, long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
  cells[threadIdx.x].sum = cells[threadIdx.x].value;
}

// Writes where there is nothing.
__global__ void fail(Cell *cells) { cells[threadIdx.x + (1ull << 44)].sum = 1.0f; }

Cell *makeCells() {
  Cell *cells = nullptr;
  CHECK(cudaMalloc(&cells, kCells * sizeof(Cell)));
  CHECK(cudaMemset(cells, 0, kCells * sizeof(Cell)));
  return cells;
}

void expect(long launches, long warpAccesses) {
  CHECK(cudaGetLastError());
  std::printf("expect launches %ld warp_accesses %ld\n", launches, warpAccesses);
  std::fflush(stdout);
}

void launchEx(Cell *cells, cudaStream_t stream) {
  cudaLaunchConfig_t configuration{};
  configuration.gridDim = kBlocks;
  configuration.blockDim = kThreads;
  configuration.stream = stream;
  CHECK(cudaLaunchKernelEx(&configuration, touch, cells));
}

void launchCooperatively(Cell *cells) {
  void *arguments[] = {&cells};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(touch), dim3(kBlocks),
                                    dim3(kThreads), arguments, 0, cudaStream_t{}));
}

// Three launches captured, run twice.
void launchGraph(Cell *cells) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < 3; ++i)
    touch<<<kBlocks, kThreads, 0, stream>>>(cells);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&runnable, graph, 0));
  for (int i = 0; i < 2; ++i)
    CHECK(cudaGraphLaunch(runnable, stream));
  CHECK(cudaStreamSynchronize(stream));
}

// More than 48 KiB needs leave, which the program gives to the kernel alone.
void launchWithSharedMemory(Cell *cells, int launches) {
  for (const int bytes : {16 << 10, 64 << 10, 96 << 10}) {
    CHECK(cudaFuncSetAttribute(touchShared, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    for (int i = 0; i < launches; ++i) {
      touchShared<<<kBlocks, kThreads, bytes>>>(cells);
      CHECK(cudaGetLastError());
    }
  }
}

void launchOverDriver(Cell *cells) {
  cudaFunction_t function;
  CHECK(cudaGetFuncBySymbol(&function, reinterpret_cast<const void *>(touch)));
  void *arguments[] = {&cells};
  if (cuLaunchKernel(function, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, arguments, nullptr) !=
      CUDA_SUCCESS)
    std::exit(1);
}

void runStreams(int launches) {
  std::vector<cudaStream_t> streams(8);
  std::vector<Cell *> cells;
  for (cudaStream_t &stream : streams) {
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    cells.push_back(makeCells());
  }
  for (int i = 0; i < launches; ++i)
    touch<<<kBlocks, kThreads, 0, streams[i % 8]>>>(cells[i % 8]);
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
  const char *const name = argc > 1 ? argv[1] : "";
  const long n = argc > 2 ? std::atol(argv[2]) : 0;
  const auto is = [name](const char *other) { return std::strcmp(name, other) == 0; };
  if (is("ex")) {
    launchEx(makeCells(), nullptr);
    CHECK(cudaDeviceSynchronize());
    expect(1, 2 * kWarpsALaunch);
  } else if (is("graph")) {
    launchGraph(makeCells());
    expect(6, 6 * 2 * kWarpsALaunch);
  } else if (is("late_graph")) {
    Cell *const cells = makeCells();
    for (int i = 0; i < 40; ++i)
      touch<<<kBlocks, kThreads>>>(cells);
    launchGraph(cells);
    expect(46, 46 * 2 * kWarpsALaunch);
  } else if (is("shared")) {
    launchWithSharedMemory(makeCells(), 40);
    CHECK(cudaDeviceSynchronize());
    expect(120, 120 * 2 * kWarpsALaunch);
  } else if (is("cooperative")) {
    launchCooperatively(makeCells());
    CHECK(cudaDeviceSynchronize());
    expect(1, 2 * kWarpsALaunch);
  } else if (is("driver")) {
    launchOverDriver(makeCells());
    CHECK(cudaDeviceSynchronize());
    expect(1, 2 * kWarpsALaunch);
  } else if (is("streams")) {
    runStreams(800);
    expect(800, 800 * 2 * kWarpsALaunch);
  } else if (is("reset")) {
    touch<<<kBlocks, kThreads>>>(makeCells());
    CHECK(cudaDeviceReset());
    touch<<<kBlocks, kThreads>>>(makeCells());
    CHECK(cudaDeviceSynchronize());
    expect(2, 2 * 2 * kWarpsALaunch);
  } else if (is("unsynchronised")) {
    Cell *const cells = makeCells();
    linger<<<1, 32>>>(cells, 200000000);
    for (int i = 0; i < 10; ++i)
      touch<<<kBlocks, kThreads>>>(cells);
    expect(11, 2 + 10 * 2 * kWarpsALaunch);
  } else if (is("fork")) {
    const pid_t child = fork();
    if (child == 0)
      std::exit(7);
    int status = 0;
    waitpid(child, &status, 0);
    touch<<<kBlocks, kThreads>>>(makeCells());
    const pid_t second = fork();
    if (second == 0)
      std::exit(8);
    waitpid(second, &status, 0);
    CHECK(cudaDeviceSynchronize());
    expect(1, 2 * kWarpsALaunch);
  } else if (is("abort")) {
    touch<<<kBlocks, kThreads>>>(makeCells());
    CHECK(cudaDeviceSynchronize());
    expect(1, 2 * kWarpsALaunch);
    std::abort();
  } else if (is("exit3")) {
    touch<<<kBlocks, kThreads>>>(makeCells());
    expect(1, 2 * kWarpsALaunch);
    std::exit(3);
  } else if (is("fault")) {
    fail<<<1, 32>>>(makeCells());
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 5;
  } else if (is("many")) {
    Cell *const cells = makeCells();
    for (long i = 0; i < n; ++i)
      touch<<<1, kThreads>>>(cells);
    CHECK(cudaDeviceSynchronize());
    expect(n, n * 2 * (kThreads / 32));
  } else if (is("much")) {
    const long blocks = 1024;
    readMuch<<<blocks, 1024>>>(makeCells(), static_cast<int>(n));
    CHECK(cudaDeviceSynchronize());
    expect(1, blocks * 32 * n);
  } else if (is("devices")) {
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    for (int device = 0; device < devices; ++device) {
      CHECK(cudaSetDevice(device));
      touch<<<kBlocks, kThreads>>>(makeCells());
    }
    for (int device = 0; device < devices; ++device) {
      CHECK(cudaSetDevice(device));
      CHECK(cudaDeviceSynchronize());
    }
    expect(devices, devices * 2 * kWarpsALaunch);
  } else {
    std::fprintf(stderr, "no case '%s'\n", name);
    return 2;
  }
  return 0;
}
