// Cell soa|Late soa|Many soa
template <class T> struct Solver {
  struct Cell { // refused: RL-R01
    T x, y;
  };
  Cell *cells;
};

template <class T> struct Late { // refused: RL-R01
  T x, y;
};
enum Behind { kNone };

template <class... T> struct Many { // refused: RL-R01
  float x, y;
};

__global__ void k(Solver<float>::Cell *p, Late<Behind> *q, Many<int, float> *r) {
  p[0].x = p[1].y;
  q[0].x = kNone;
  r[0].x = 1;
}

int main() {
  Solver<float>::Cell *p;
  Late<Behind> *q;
  Many<int, float> *r;
  cudaMalloc(&p, 64 * sizeof(Solver<float>::Cell));
  cudaMalloc(&q, 64 * sizeof(Late<Behind>));
  cudaMalloc(&r, 64 * sizeof(Many<int, float>));
  k<<<1, 1>>>(p, q, r);
}
