// R soa
// Which member a run-time subscript names is not known, nor what a body with more than a return does.
struct R {
  float x, y, v;
  __device__ float &operator[](int k) { return k == 0 ? x : y; }
  __device__ float &next() {
    ++v;
    return x;
  }
  __device__ void set(int k, float f) { (*this)[k] = f; }
  __device__ void half(float f) { (*this)[0] = f; y += (*this)[1] > 0 ? 1 : 0; }
  __device__ void one() { (*this)[1] = 1; if (v > 0) (*this)[0] = 2; }
  __device__ void step() { next() = 1; }
};
__global__ void k(R *p) {
  int i = threadIdx.x;
  p[i].set(i & 1, 2); // refused: RL-R09
  p[i].one();         // refused: RL-R09
  p[i].step();        // refused: RL-R09
  p[i].half(2);
}
int main() {
  R *p;
  cudaMalloc(&p, 100 * sizeof(R));
  k<<<1, 64>>>(p);
}
