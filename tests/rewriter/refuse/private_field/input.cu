// R soa
class R {
  float x; // refused: RL-R01

public:
  float y;
};

__global__ void k(R *p) { p[0].y = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
