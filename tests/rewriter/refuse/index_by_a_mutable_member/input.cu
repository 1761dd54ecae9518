// Vec soa
struct Vec {
  float x, y;
  __host__ __device__ Vec &operator+=(const Vec &o) {
    x += o.x;
    y += o.y;
    return *this;
  }
};

struct Counter {
  mutable int used;
  __device__ int operator()() const { return used++; }
  __device__ int next() {
    auto one = [this] { return used++; };
    return call(one);
  }
  template <class F> __device__ static int call(const F &f) { return f(); }
};

__global__ void each(Vec *all, const Vec *other, int n) {
  Counter counter{0};
  while (counter.used < n) {
    all[Counter::call(counter)] += other[0]; // refused: RL-R09
    all[counter.next()] += other[0]; // refused: RL-R09
  }
}

int main() {
  Vec *a, *b;
  cudaMalloc(&a, 8 * sizeof(Vec));
  cudaMalloc(&b, 8 * sizeof(Vec));
  each<<<1, 1>>>(a, b, 8);
}
