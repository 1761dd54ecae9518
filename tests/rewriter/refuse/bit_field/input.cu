// Packed soa|Wide soa|Derived soa|Aligned soa|Constant soa|Longer soa
struct __attribute__((packed)) Packed {
  float x;
  unsigned kind : 3; // refused: RL-R01
};

struct Wide {
  float x;
  unsigned kind : 40; // refused: RL-R01
};

class Base {
public:
  float x;

protected:
  unsigned kind : 3; // refused: RL-R01
};

struct Derived : Base {
  char tag;
};

struct Aligned {
  float x;
  __attribute__((aligned(8))) unsigned kind : 3; // refused: RL-R01
};

struct Longer {
  float x; // refused: RL-R01
  unsigned char kind : 3;
  unsigned long long : 20;
};

template <class T> __global__ void k(T *p) { p[0].x = 1; }

template <class T> void run() {
  T *p;
  cudaMalloc(&p, 64 * sizeof(T));
  k<<<1, 1>>>(p);
}

int main() {
  run<Packed>();
  run<Wide>();
  run<Derived>();
  run<Aligned>();
  run<Longer>();
}
