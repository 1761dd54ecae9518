// double aligned 0 order 3 1,0
typedef double Vector[3];
__global__ void k(Vector *p) { p[threadIdx.x][1] = 1; }
int main() {
  Vector *p[2]; // refused: RL-R06
  for (int i = 0; i < 2; ++i)
    cudaMalloc(&p[i], 32 * sizeof(Vector));
  k<<<1, 32>>>(p[1]);
}
