// An engine for any domain, whose records are named by the domain and defined behind the engine.
// clang-format off
#include <cstdio>
#include <vector>

template <typename Domain>
__global__ void settle(const typename Domain::Item *items, int n, typename Domain::State state) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    Domain::apply(items[i], state);
}

template <typename Domain>
int run(const std::vector<typename Domain::Item> &items, typename Domain::State state) {
  int n = items.size();
  typename Domain::Item *device;
  cudaMalloc(&device, n * sizeof(typename Domain::Item));
  cudaMemcpy(device, items.data(), n * sizeof(typename Domain::Item), cudaMemcpyHostToDevice);
  settle<Domain><<<(n + 127) / 128, 128>>>(device, n, state);
  std::vector<typename Domain::Item> back(n);
  cudaMemcpy(back.data(), device, n * sizeof(typename Domain::Item), cudaMemcpyDeviceToHost);
  cudaFree(device);
  return back.size() * Domain::weight;
}

struct FlowItem {
  int from, to;
  float amount;
};
#include "flow_item_layout.h"

struct Flow {
  using Item = FlowItem;

  using State = float *;
  static const int weight = 2;

  __device__ static void apply(const Item &item, State state) {
    atomicAdd(&state[item.from], -item.amount);
    atomicAdd(&state[item.to], item.amount);
  }
};

__global__ void settle(ConstFlowItemView items, int n, typename Flow::State state) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    Flow::apply(items.load(i), state);
}

template <> int run<Flow>(const std::vector<typename Flow::Item> &items, typename Flow::State state) {
  int n = items.size();
  FlowItemView device;
  flowItemMalloc(&device, n * sizeof(typename Flow::Item));
  flowItemMemcpy(device, items.data(), n * sizeof(typename Flow::Item), cudaMemcpyHostToDevice);
  settle<<<(n + 127) / 128, 128>>>(device, n, state);
  std::vector<typename Flow::Item> back(n);
  flowItemMemcpy(back.data(), device, n * sizeof(typename Flow::Item), cudaMemcpyDeviceToHost);
  flowItemFree(device);
  return back.size() * Flow::weight;
}

int main() {
  std::vector<Flow::Item> items(200);
  for (int i = 0; i < 200; ++i)
    items[i] = {i % 8, (i + 3) % 8, float(i % 4)};
  float *state, sums[8];
  cudaMalloc(&state, sizeof(sums));
  cudaMemset(state, 0, sizeof(sums));
  int weight = run<Flow>(items, state);
  cudaMemcpy(sums, state, sizeof(sums), cudaMemcpyDeviceToHost);
  std::printf("%d %g %g\n", weight, sums[1], sums[5]);
  cudaFree(state);
}
