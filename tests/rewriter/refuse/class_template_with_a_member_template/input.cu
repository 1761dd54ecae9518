// R soa

template <class T> struct Span {
  T *data; // refused: RL-R07
  template <class F> __device__ void each(F call) const {
    T *first = data; // refused: RL-R07
    call(first);
  }
};

struct R {
  float x, y;
};

struct Clear {
  __device__ void operator()(R *r) const { r->x = 0; }
};

__global__ void k(Span<R> records) { records.each(Clear()); }

int main() {
  R *memory = nullptr;
  cudaMalloc(&memory, 64 * sizeof(R));
  k<<<1, 1>>>(Span<R>{memory});
}
