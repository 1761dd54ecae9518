// R soa
struct R {
  float x, y;
};
struct Cursor {
  __host__ __device__ Cursor(R *at) : p(at) {}
  R *p;
};

__device__ void put(Cursor c) {
  if (c.p)
    c.p->x = 1;
}

__global__ void k(R *p) {
  put(p + 1);
  put(nullptr); // refused: RL-R05
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
