// R soa
#include <locale>

struct R {
  float x, y;
};

__global__ void k(const R *p, float *out) { out[0] = p[0].x; }

struct Coder : std::codecvt<char, R, std::mbstate_t> {
  int do_length(std::mbstate_t &, const R *from, const R *, size_t) const override { // refused: RL-R10
    k<<<1, 1>>>(from, nullptr);
    return 0;
  }
};

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  std::mbstate_t state;
  Coder().do_length(state, p, p + 1, 1);
}
