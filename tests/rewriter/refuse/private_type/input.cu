// R soa
class R {
  struct Inner {
    float a;
  };
  Inner inner; // refused: RL-R01

public:
  float x;
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
