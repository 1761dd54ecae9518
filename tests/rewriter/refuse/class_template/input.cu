// R soa
namespace lib {
template <class T> struct R { // refused: RL-R01
  T x, y;
};
} // namespace lib

__global__ void k(lib::R<float> *p) { p[0].x = p[1].y; }

int main() {
  lib::R<float> *p;
  cudaMalloc(&p, 64 * sizeof(lib::R<float>));
  k<<<1, 1>>>(p);
}
