// Walker soa|Vec soa
struct Vec {
  float x, y;
  __device__ void add(float f) {
    x += f;
    y += f;
  }
};
__device__ Vec operator*(const Vec &v, float f) { return {v.x * f, v.y * f}; }
struct Walker {
  float x;
  unsigned state;
  __device__ float next() {
    state = state * 1103515245u + 12345u;
    return state * 0x1p-32f;
  }
  __device__ float plus(float f) {
    state += 3;
    return state + f;
  }
  __device__ float speed() const { return x; }
};
__device__ Walker *all;
__device__ float first() { return all[0].state; }
__device__ float second(Walker *w) { return w[1].state; }
__device__ float mixed(Walker &a, const Walker &b) {
  a.state += 5;
  return a.state - b.x;
}
__device__ float stateOf(const Walker &w) { return w.state; }
__global__ void k(Walker *w, Vec *v, int n, float p, float *out) {
  int i = threadIdx.x;
  out[i] = w[i].state + w[i].next();         // refused: RL-R09
  out[i] = w[0].state * w[i].next();         // refused: RL-R09
  w[i].state += w[i].next();                 // refused: RL-R09
  out[i] = w[i].speed() * w[i].next();       // refused: RL-R09
  out[i] = stateOf(w[i]) * w[i].next();      // refused: RL-R09
  out[i] = first() + w[i].next();            // refused: RL-R09
  out[i] = second(w) + w[i].next();          // refused: RL-R09
  v[i].add(w[i].next());                     // refused: RL-R09
  v[i] = v[i] * w[i].next();                 // refused: RL-R09
  float a = 2 * w[i].plus(w[i].x);           // refused: RL-R09
  float b = 2 * w[i].plus(v[i].x);           // refused: RL-R09
  float c = 2 * w[i++].next();               // refused: RL-R09
  float d = 2 * w[i].plus(p += 1);           // refused: RL-R09
  float e = 2 * w[int(w[i].x)].next();       // refused: RL-R09
  Walker own = w[i];
  float f = mixed(own, w[i]) * 2;
  float g = mixed(w[i], w[i + 1]) * 2;       // refused: RL-R09
  auto get = [=] { return w[i].state; };
  out[i] = get() + w[i].next();              // refused: RL-R09
  out[i] = [=] { return w[i].state; }() + w[i].next(); // refused: RL-R09
  out[i] += a + b + c + d + e + f + g;
}
int main() {
  Walker *w;
  Vec *v;
  float *out;
  cudaMalloc(&w, 64 * sizeof(Walker));
  cudaMalloc(&v, 64 * sizeof(Vec));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMemcpyToSymbol(all, &w, sizeof(Walker *));
  k<<<1, 64>>>(w, v, 64, 0.5f, out);
}
