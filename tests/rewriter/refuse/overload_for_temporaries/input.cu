// R soa
// What was an lvalue is a temporary with a view, and an overload for temporaries would be called.
struct R {
  float x, y;
};

__device__ float which(const R &) { return 1; }
__device__ float which(R &&) { return 2; }
__device__ float part(const float &) { return 3; }
__device__ float part(float &&) { return 4; }

__global__ void k(R *p, const R *q) {
  p[0].x = which(p[1]); // refused: RL-R09
  p[0].y = part(q[2].x); // refused: RL-R09
  p[3].x = part(p[4].y);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, p);
}
