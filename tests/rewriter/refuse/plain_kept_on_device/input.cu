// double aligned 0 order 4 1,0
struct Node {
  double *values;
};
__global__ void k(Node *nodes, double *u) { nodes[threadIdx.x].values = u + threadIdx.x; }
int main() {
  double *u;
  cudaMalloc(&u, 64 * sizeof(double));
  Node *nodes;
  cudaMalloc(&nodes, 32 * sizeof(Node));
  k<<<1, 32>>>(nodes, u);
  Node back[32];
  cudaMemcpy(back, nodes, 512, cudaMemcpyDeviceToHost); // refused: RL-R10
}
