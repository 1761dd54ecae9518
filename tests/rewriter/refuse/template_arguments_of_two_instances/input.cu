// R soa
struct R {
  float x, y;
};

struct Other {
  float x;
};

template <class T> struct Buffer {
  T *items;
  Buffer() { cudaMalloc(&items, 40 * sizeof(T)); }
};

template <class T, int AT> __global__ void k(T *p) { p[AT].x = 1; }

template <class T, int AT> void run() {
  Buffer<T> buffer;
  k<T, AT><<<1, 1>>>(buffer.items); // refused: RL-R07
}

int main() {
  run<R, 1>();
  run<Other, 2>();
}
