// R exploded
struct R {
  float x[4];
  int n;
};

__device__ int step(int *counter) { return ++*counter; }

__global__ void k(R *p, int i) {
  int k = 0;
  p[i].x[1] = 1;
  p[i++].x[i] = 2;             // refused: RL-R09
  p[step(&k)].x[k] = 3;        // refused: RL-R09
  p[step(&i)].x[step(&k)] = 4; // refused: RL-R09
  p[p->n].x[step(&p->n)] = 5;  // refused: RL-R09
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, 0);
}
