// R soa
struct Base {
  int a;
  char b;
};
class R : Base { // refused: RL-R01
  char c = 1;
  int d = 2;
  long long e = 3;

public:
  __device__ void set(int v) {
    a = v;
    d = v;
  }
};

__global__ void k(R *p) {
  R r = p[0];
  r.set(3);
  p[0] = r;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
