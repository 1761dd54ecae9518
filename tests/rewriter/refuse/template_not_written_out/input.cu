// R soa
struct R {
  float x, y;
};

template <class T> __global__ void branch(T *p) { // refused: RL-R07
  if constexpr (sizeof(T) == 8)
    p[0].x = 1;
  else
    p[0].z = 1;
}

struct Tool {
  template <class T> void run(T *p) { // refused: RL-R07
    branch<<<1, 1>>>(p);
  }
};

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  Tool().run(p);
}
