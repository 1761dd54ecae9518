// R soa
struct R {
  float x, y;
};

#define IF_WORD(T, then) if constexpr (sizeof(T) == 4) { then; }

template <class T> __global__ void branch(T *p) { // refused: RL-R07
  IF_WORD(T, p[0] = 1)
  if constexpr (sizeof(T) == 8)
    p[0].x = 1;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  branch<<<1, 1>>>(p);
}
