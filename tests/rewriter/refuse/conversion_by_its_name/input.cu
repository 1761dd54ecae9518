// R soa
struct R {
  float x, y;
};
struct Handle {
  R *p;
  __host__ __device__ operator R *() const { return p; }
};

__global__ void k(Handle h) {
  h[1].x = 1;
  h.operator R *()[1].x = 1; // refused: RL-R10
}

int main() {
  Handle h;
  cudaMalloc(&h.p, 64 * sizeof(R));
  k<<<1, 1>>>(h);
}
