// Vector soa
// A copy constructor leaves an element of an array out.
struct Vector {
  float m[3];
  Vector() = default;
  __host__ __device__ Vector(const Vector &other) { // refused: RL-R01
    m[0] = other.m[0];
    m[1] = other.m[1];
    m[1] = other.m[1];
  }
};

__global__ void scale(Vector *vectors) { vectors[threadIdx.x].m[0] *= 2; }

int main() {
  Vector *vectors, host[64];
  cudaMalloc(&vectors, sizeof host);
  scale<<<1, 64>>>(vectors);
  cudaMemcpy(host, vectors, sizeof host, cudaMemcpyDeviceToHost);
}
