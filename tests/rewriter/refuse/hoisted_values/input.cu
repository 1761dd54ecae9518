// Walker soa
struct Pair {
  float a, b;
  __device__ Pair &twice() {
    a *= 2;
    return *this;
  }
};
__device__ float sum(Pair &&pair) { return pair.a + pair.b; }
__device__ float sum(const Pair &pair) { return pair.a - pair.b; }
template <class T> __device__ float passed(T &&value) { return value; }
struct Walker {
  float x;
  unsigned state;
  const char *name;
  __device__ float next() {
    state = state * 1103515245u + 12345u;
    return state * 0x1p-32f;
  }
  __device__ Pair pair() {
    state += 2;
    return {next(), 1};
  }
  __device__ const char *renamed() {
    state += 1;
    return name;
  }
  __device__ void skip() { state += 1; }
};
__device__ decltype(auto) drawn(Walker *w) { return (w[0].next()); }
__global__ void k(Walker *w, float *out) {
  int i = threadIdx.x;
  out[i] = sum(w[i].pair());          // refused: RL-R09
  out[i] = passed(w[i].next());       // refused: RL-R09
  out[i] = w[i].pair().twice().a;     // refused: RL-R09
  const char *name = w[i].renamed();  // refused: RL-R09
  const float &kept = w[i].next();    // refused: RL-R09
  static float still = 2;
  auto [a, b] = w[i].pair();          // refused: RL-R09
  w[i].skip(), out[i] = 2;            // refused: RL-R09
  out[i] += name[0] + kept + still + a + b + drawn(w);
}
int main() {
  Walker *w;
  float *out;
  cudaMalloc(&w, 64 * sizeof(Walker));
  cudaMalloc(&out, 64 * sizeof(float));
  k<<<1, 64>>>(w, out);
}
