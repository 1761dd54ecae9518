// R soa
struct R {
  float x, y, z;
};

__global__ void k(R *p) {
  float(*raw)[3] = (float(*)[3])p; // refused: RL-R05
  raw[0][1] = 1;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
