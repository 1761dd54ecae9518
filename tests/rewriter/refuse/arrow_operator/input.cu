// R soa
struct R {
  float x, y;
};
struct Handle {
  R *p;
  __host__ __device__ R *operator->() const { return p; } // refused: RL-R10
};

__global__ void k(Handle h) { h->x = 1; }

int main() {
  Handle h;
  cudaMalloc(&h.p, 64 * sizeof(R));
  k<<<1, 1>>>(h);
}
