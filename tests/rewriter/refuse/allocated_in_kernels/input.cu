// R soa
struct R {
  float x, y;
};

__global__ void k(R *p, int n) { // refused: RL-R03
  R *own = (R *)malloc(n * sizeof(R));
  for (int i = 0; i < n; ++i)
    own[i].x = p[i].y;
  R *one = n > 3 ? own : p;
  p[0].x = one[1].x;
  free(own);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, 64);
}
