// Vec soa
struct Vec {
  float x, y;
  __host__ __device__ Vec &operator+=(const Vec &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
};

struct Order {
  __device__ virtual int next() { return 0; }
};
struct Counted : Order {
  int k = 0;
  __device__ int next() override { return k++; }
};

__global__ void each(Vec *all, const Vec *other, int n) {
  Counted counted;
  Order &order = counted;
  for (int i = 0; i < n; ++i)
    all[order.next()] += other[0]; // refused: RL-R09
}

int main() {
  Vec *a, *b;
  cudaMalloc(&a, 8 * sizeof(Vec));
  cudaMalloc(&b, 8 * sizeof(Vec));
  each<<<1, 1>>>(a, b, 8);
}
