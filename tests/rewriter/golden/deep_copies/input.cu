// Objects that are copied to the device as bytes, whose pointers are put in behind.
// clang-format off
#include <cstdio>
#include <cstdlib>

struct Sphere { float x, y, z, r; int mat; };
#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { printf("%s\n", cudaGetErrorString(e_)); exit(1); } } while (0)
typedef struct Graph { int V, E; Sphere *nodes; float *weights; } Graph;
__global__ void run(Graph *g) { int i = threadIdx.x; if (i < g->V) g->nodes[i].r += g->weights[i] * g->nodes[i].mat; }
Graph *makeGraph(int n) {
  Graph *g = (Graph *)malloc(sizeof(Graph)); g->V = n; g->E = 0;
  g->nodes = (Sphere *)malloc(n * sizeof(Sphere)); g->weights = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) { g->nodes[i] = {1.f * i, 2, 3, 0.5f * i, i}; g->weights[i] = i; }
  return g;
}
int main() {
  Graph *h_graph = makeGraph(64);
  Graph *d_graph;
  CHECK(cudaMalloc((void **)&d_graph, sizeof(Graph)));
  CHECK(cudaMemcpy(d_graph, h_graph, sizeof(Graph), cudaMemcpyHostToDevice));
  Sphere *d_nodes; float *d_w;
  CHECK(cudaMalloc(&d_nodes, h_graph->V * sizeof(Sphere)));
  CHECK(cudaMemcpy(d_nodes, h_graph->nodes, h_graph->V * sizeof(Sphere), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(&(d_graph->nodes), &d_nodes, sizeof(Sphere *), cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&d_w, h_graph->V * sizeof(float)));
  CHECK(cudaMemcpy(d_w, h_graph->weights, h_graph->V * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(&(d_graph->weights), &d_w, sizeof(float *), cudaMemcpyHostToDevice));
  run<<<1, 64>>>(d_graph);
  CHECK(cudaMemcpy(h_graph->nodes, d_nodes, h_graph->V * sizeof(Sphere), cudaMemcpyDeviceToHost));
  printf("%g\n", h_graph->nodes[9].r);
  cudaFree(d_nodes); cudaFree(d_w); cudaFree(d_graph); free(h_graph->nodes); free(h_graph);
}
