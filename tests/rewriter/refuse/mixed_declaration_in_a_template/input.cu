// R soa
// Of a template's instance that is written out, the declaration that it cannot split is named.
struct R {
  float x, y;
};

template <class T> __global__ void move(T *to, const T *from, int n) {
  int i = threadIdx.x;
  T *last = to + n, kept = from[i]; // refused: RL-R07
  if (to + i < last)
    to[i] = kept;
}

template <class T> struct Buffer {
  T *items, first; // refused: RL-R07
  __device__ T *at(int i) { return items + i; }
};

__global__ void show(Buffer<R> buffer) { buffer.at(0)->x = buffer.first.y; }

int main() {
  R *p, *q;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&q, 64 * sizeof(R));
  move<<<1, 32>>>(p, q, 32);
  Buffer<R> buffer = {p, R()};
  show<<<1, 1>>>(buffer);
}
