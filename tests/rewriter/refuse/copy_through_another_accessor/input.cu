// Pair soa
// A copy that reads another member.
class Pair {
public:
  __host__ __device__ Pair() : a_(0), b_(0) {}
  __host__ __device__ Pair(const Pair &other) : a_(other.b()), b_(other.a()) {} // refused: RL-R01
  __host__ __device__ float a() const { return a_; }
  __host__ __device__ float b() const { return b_; }

private:
  float a_, b_;
};

__global__ void exchange(Pair *pairs) {
  const Pair pair = pairs[threadIdx.x];
  pairs[threadIdx.x + 32] = pair;
}

int main() {
  Pair *pairs;
  cudaMalloc(&pairs, 64 * sizeof(Pair));
  exchange<<<1, 32>>>(pairs);
  cudaFree(pairs);
}
