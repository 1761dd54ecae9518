// R soa
// As views, element and pointer are alike: the other arguments would choose another function.
struct R {
  float x, y;
};
__device__ void push(R &r, float by) { r.x += by; }
__device__ void push(R *r, int by) { r->x -= by; } // refused: RL-R10
__device__ void pull(R &r, float by) { r.y += by; }
__device__ void pull(R *r, int by, int more) { r->y -= by * more; } // of another number: told apart
struct Near {
  __device__ void go(R &r, long by) const { r.x += by; }
};
struct Far : Near {
  using Near::go;
  __device__ void go(R *r, short by) const { r->y += by; } // refused: RL-R10
};
__global__ void k(R *p) {
  int i = threadIdx.x;
  push(p[i], 3);
  push(p + i, 3);
  pull(p[i], 3);
  pull(p + i, 3, 4);
  Far().go(p[i], 1);
  Far().go(p + i, 1);
}
int main() {
  R *p;
  cudaMalloc(&p, 100 * sizeof(R));
  k<<<1, 64>>>(p);
}
