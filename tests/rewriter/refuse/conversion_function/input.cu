// R soa
struct R {
  float x, y;
};
struct Handle {
  R *p;
  __host__ __device__ operator R &() const { return *p; } // refused: RL-R10
};

__device__ void first(R &r) { r.x = 1; }

__global__ void k(Handle h) { first(h); }

int main() {
  Handle h;
  cudaMalloc(&h.p, 64 * sizeof(R));
  k<<<1, 1>>>(h);
}
