// R soa
// A counter may be what the element is chosen by, or a field of such elements.
struct R {
  unsigned x;
  float y;
};

__global__ void choose(const R *in, R *out, unsigned *count) {
  out[atomicAdd(count, 1u)] = in[*count % 64]; // refused: RL-R09
}

__global__ void compact(const R *in, R *out, unsigned *count) {
  out[atomicAdd(count, 1u)] = in[threadIdx.x]; // refused: RL-R09
}

__global__ void within(R *p) {
  p[atomicAdd(&p[0].x, 1u)] = p[threadIdx.x]; // refused: RL-R09
}

int main() {
  R *in, *out;
  unsigned *count;
  cudaMalloc(&in, 64 * sizeof(R));
  cudaMalloc(&out, 64 * sizeof(R));
  cudaMalloc(&count, sizeof(unsigned));
  unsigned *inside = &in[3].x;
  choose<<<1, 1>>>(in, out, count);
  compact<<<1, 64>>>(in, out, inside);
  within<<<1, 64>>>(in);
}
