// Body soa|Vec soa
struct Vec {
  float x, y;
};
struct Body {
  Vec v;
  float mass;
  __device__ void operator+=(const Vec &from) {
    v.x = from.y;
    v.y = from.x;
  }
  __device__ void operator*=(const float &by) {
    mass += by;
    mass += by;
  }
};
__global__ void k(Body *b, Vec *w) {
  int i = threadIdx.x;
  b[i] += w[i];
  b[i] += b[i].v; // refused: RL-R09
  b[i] *= w[i].x;
  b[i] *= b[i].mass; // refused: RL-R09
}
int main() {
  Body *b;
  Vec *w;
  cudaMalloc(&b, 64 * sizeof(Body));
  cudaMalloc(&w, 64 * sizeof(Vec));
  k<<<1, 64>>>(b, w);
}
