// Vec soa
struct Vec {
  float x, y;
  __host__ __device__ Vec &operator+=(const Vec &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
};

__global__ void each(Vec *all, const Vec *other, int n) {
  int used = 0;
  auto next = [&] { return used++; };
  while (used < n)
    all[next()] += other[0]; // refused: RL-R09
}

int main() {
  Vec *a, *b;
  cudaMalloc(&a, 8 * sizeof(Vec));
  cudaMalloc(&b, 8 * sizeof(Vec));
  each<<<1, 1>>>(a, b, 8);
}
