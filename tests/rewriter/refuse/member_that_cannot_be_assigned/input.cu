// R soa
struct Ball {
  float size;
  __host__ __device__ Ball &operator=(const Ball &other) {
    size = other.size;
    return *this;
  }
};

union Kind {
  int number;
  Ball ball;
};

struct R {
  Kind kind; // refused: RL-R01
  float x;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
