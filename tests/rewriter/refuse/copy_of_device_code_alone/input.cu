// Light soa
// The view's functions are of both sides.
struct Position {
  float x, y;
  __host__ __device__ Position() : x(0), y(0) {}
  __host__ __device__ Position(const Position &other) : x(other.x), y(other.y) {}
  __device__ Position &operator=(const Position &other) { // refused: RL-R01
    x = other.x;
    y = other.y;
    return *this;
  }
};

struct Light {
  Position position;
  float power;
};

__global__ void brighten(Light *lights) {
  lights[threadIdx.x].power += lights[threadIdx.x].position.y;
}

int main() {
  Light *lights;
  cudaMalloc(&lights, 64 * sizeof(Light));
  brighten<<<1, 64>>>(lights);
  cudaFree(lights);
}
