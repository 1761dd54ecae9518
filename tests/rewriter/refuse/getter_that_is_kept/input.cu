// R soa
struct Vec {
  float x, y;
};
struct R {
  Vec at, to;
  float mass;
  __device__ const Vec &place() const { return mass > 0 ? at : to; }
  __device__ Vec &change() { return mass > 0 ? at : to; }
  __device__ const float *address() const { return &mass; }
  __device__ const R &self() const { return *this; }
};

__device__ const Vec &find(R *p, int i) { return p[i].place(); } // refused: RL-R04

__global__ void k(R *p, float *out) {
  const Vec &kept = p[1].place(); // refused: RL-R04
  out[0] = kept.x + find(p, 2).y;
  const float *x = &p[3].place().x; // refused: RL-R04
  out[1] = *x;
  p[4].change().x = 1; // refused: RL-R09
  out[2] = *p[5].address(); // refused: RL-R09
  out[3] = p[6].place().x;
  const Vec &self = p[7].self().at; // refused: RL-R09
  out[4] = self.x;
}

int main() {
  R *p;
  float *out;
  cudaMalloc(&p, 64 * sizeof(R));
  cudaMalloc(&out, 64 * sizeof(float));
  k<<<1, 1>>>(p, out);
}
