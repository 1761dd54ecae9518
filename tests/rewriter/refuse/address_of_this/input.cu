// R soa
// With a view, a method of an element runs on a copy, which has another address.
struct R;
struct Place {
  const float *x;
};
struct Owner {
  const R *r;
};
struct R {
  float x, y;
  __device__ float next() const { return this[1].x; } // refused: RL-R09
  __device__ float indirect() const { return own() + next(); }
  __device__ float own() const { return this->x + y; }
  __device__ Place place() const { return {&x}; } // refused: RL-R04
  __device__ Owner owner() const { return {this}; } // refused: RL-R09
};

__global__ void k(R *p, float *out) {
  out[0] = p[0].own() + p[1].indirect();
  out[1] = *p[2].place().x;
  out[2] = p[3].owner().r == nullptr;
}

int main() {
  R *p;
  float *out;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&out, 64);
  k<<<1, 1>>>(p, out);
}
