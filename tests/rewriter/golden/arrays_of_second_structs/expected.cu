// The device has arrays of structs whose pointers lead to its memory; the host's lead to its own.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Graph {
  int vertices;
  int *degrees;
  float *weights;
};
struct GraphDevice {
  int vertices;
  int *degrees;
  float *weights;
};
#include "graph_device_layout.h"

/// Without pointers to memory of the host.
inline GraphDevice toGraphDevice(const Graph &from) {
  GraphDevice to;
  to.vertices = from.vertices;
  to.degrees = nullptr;
  to.weights = nullptr;
  return to;
}

__global__ void weigh(GraphDeviceView graphs, int count, float *sums) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= count)
    return;
  float sum = 0;
  for (int i = 0; i < graphs.vertices(g); ++i)
    sum += graphs.weights(g)[i] * graphs.degrees(g)[i];
  sums[g] = sum;
}

void upload(Graph **hosts, GraphDeviceView *graphs, int count) {
  graphDeviceMalloc(graphs, count * sizeof(GraphDevice));
  for (int g = 0; g < count; ++g) {
    GraphDevice copy = toGraphDevice(*hosts[g]);
    cudaMalloc(&copy.degrees, copy.vertices * sizeof(int));
    cudaMalloc(&copy.weights, copy.vertices * sizeof(float));
    cudaMemcpy(copy.degrees, hosts[g]->degrees, copy.vertices * sizeof(int),
               cudaMemcpyHostToDevice);
    cudaMemcpy(copy.weights, hosts[g]->weights, copy.vertices * sizeof(float),
               cudaMemcpyHostToDevice);
    graphDeviceMemcpy(((*graphs) + g), &copy, sizeof(GraphDevice), cudaMemcpyHostToDevice);
  }
}

int main() {
  const int count = 40;
  Graph *hosts[count];
  for (int g = 0; g < count; ++g) {
    hosts[g] = new Graph();
    hosts[g]->vertices = 3 + g % 5;
    hosts[g]->degrees = (int *)malloc(hosts[g]->vertices * sizeof(int));
    hosts[g]->weights = (float *)malloc(hosts[g]->vertices * sizeof(float));
    for (int i = 0; i < hosts[g]->vertices; ++i) {
      hosts[g]->degrees[i] = i + g;
      hosts[g]->weights[i] = 0.5f * i;
    }
  }
  GraphDeviceView graphs;
  upload(hosts, &graphs, count);
  float *sums, back[count];
  cudaMalloc(&sums, sizeof(back));
  weigh<<<2, 32>>>(graphs, count, sums);
  cudaMemcpy(back, sums, sizeof(back), cudaMemcpyDeviceToHost);
  printf("%g\n", back[7]);
}
