// R soa
struct Vec3 {
  float x, y, z;
  __host__ __device__ Vec3(float x = 0, float y = 0, float z = 0) : x(x), y(y), z(z) {}
  __host__ __device__ Vec3(const Vec3 &other) : x(other.x), y(other.y), z(other.z) {}
  __host__ __device__ Vec3(Vec3 &&other) : x(other.x), y(other.y), z(other.z) { // refused: RL-R01
    other.x = other.y = other.z = 0;
  }
  Vec3 &operator=(const Vec3 &other) = default;
};
struct R {
  Vec3 position;
  float mass;
};

__global__ void k(R *p) { p[0].mass = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
