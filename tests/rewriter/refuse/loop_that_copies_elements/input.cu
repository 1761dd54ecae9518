// R soa
struct R {
  float x, y;
};

struct Range {
  R *first;
  int n;
  __device__ R *begin() const { return first; }
  __device__ R *end() const { return first + n; }
};

__global__ void k(Range range, float *out) {
  for (R r : range) // refused: RL-R09
    *out += r.x;
  for (auto r : range) // refused: RL-R09
    *out += r.y;
}

int main() {
  R *p;
  float *out;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&out, sizeof(float));
  k<<<1, 1>>>(Range{p, 64}, out);
}
