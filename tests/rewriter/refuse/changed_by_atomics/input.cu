// R soa
// A function that locals are given to as well works on a copy of the element: what other threads
// may see or change meanwhile cannot be done to a copy. Using-declarations stand in the way of
// overloads for elements.
struct R {
  float x;
  int count;
};

namespace tools {
__device__ void note(R &r) { atomicAdd(&r.count, 1); }
__device__ void move(R &r, const float &by) { r.x += by; r.x += by; }
__device__ void sum(R &r, const R *all, int n) {
  for (int i = 0; i < n; ++i)
    r.x += all[i].x;
}
__device__ void clamp(R &r) {
  if (r.x > 1)
    r.x = 1;
  if (r.count < 0)
    r.count = 0;
}
} // namespace tools

using tools::clamp;
using tools::move;
using tools::note;
using tools::sum;

__global__ void k(R *p, int n) {
  R own = p[0];
  note(own);
  note(p[1]); // refused: RL-R09
  move(own, 1);
  move(p[2], p[2].x); // refused: RL-R09
  sum(own, p, n);
  sum(p[3], p, n); // refused: RL-R09
  clamp(own);
  clamp(p[4]);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, 64);
}
