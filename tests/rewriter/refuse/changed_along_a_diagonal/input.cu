// Flow soa
struct Flow {
  float mass, m[3][3];
  __host__ __device__ Flow &operator+=(const Flow &o) {
    mass += o.mass;
    for (int d = 0; d < 3; ++d)
      m[d][d] += o.m[d][d];
    return *this;
  }
};

__global__ void gather(Flow *flow, const Flow *sources) {
  flow[threadIdx.x] += sources[threadIdx.x]; // refused: RL-R09
}

int main() {
  Flow *flow, *sources;
  cudaMalloc(&flow, 32 * sizeof(Flow));
  cudaMalloc(&sources, 32 * sizeof(Flow));
  gather<<<1, 32>>>(flow, sources);
}
