// R soa
struct R {
  float x, y;
};

__device__ R make(int &i) {
  ++i;
  return {1, 2};
}

__device__ int last;

__device__ int next() { return ++last; }

__device__ R &chosen(R *of) { return of[next()]; }

struct Turn {
  __device__ Turn() { atomicAdd(&last, 1); }
  __device__ ~Turn() { atomicSub(&last, 1); }
  __device__ R result() const { return {1.0f * last, 0}; }
};

__global__ void k(R *p, int i) {
  p[i] = make(i), ++i; // refused: RL-R09
  R own[64];
  p[next()] = chosen(own);   // refused: RL-R09
  p[last] = Turn().result(); // refused: RL-R09
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, 0);
}
