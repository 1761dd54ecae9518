// R soa
struct R {
  float x, y;
};

struct Tool {
  template <class T> explicit Tool(T *p) { // refused: RL-R07
    p->x = 1;
  }
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
  Tool tool(p);
}
