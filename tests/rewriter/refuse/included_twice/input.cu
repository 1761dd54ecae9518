// Item:first::k::p soa
namespace first { // this line of kernel.inc is // refused: RL-R12
struct Item {
  float x, y;
};
} // namespace first
namespace second {
struct Item {
  float x, y;
};
} // namespace second

#define SPACE first
#include "kernel.inc"
#undef SPACE
#define SPACE second
#include "kernel.inc"

int main() {
  first::Item *p;
  second::Item *q;
  cudaMalloc(&p, 64 * sizeof(first::Item));
  cudaMalloc(&q, 64 * sizeof(second::Item));
  first::k<<<1, 1>>>(p);
  second::k<<<1, 1>>>(q);
}
