// Walker soa
struct Walker {
  float x;
  unsigned state;
  __device__ float operator()() {
    state = state * 1103515245u + 12345u;
    return state * 0x1p-32f;
  }
};
__device__ int drawn;
__device__ bool step() { return ++drawn > 3; }
__device__ float scaled(float value, int by = ++drawn) { return value * by; }
__global__ void k(Walker *w, int n, float p, float *out) {
  int i = threadIdx.x;
  if (i < n && w[i]() < p) // refused: RL-R09
    out[i] = 1;
  out[i] = i > 3 ? w[i]() : 2; // refused: RL-R09
  out[i] = w[i]() < p && step(); // refused: RL-R09
  out[i] += step() + w[i]();     // refused: RL-R09
  out[i] += scaled(w[i]());      // refused: RL-R09
  while (w[i]() < p) // refused: RL-R09
    out[i] += 1;
  do
    out[i] += 1;
  while (w[i]() < p); // refused: RL-R09
  for (float u = w[i](); u < p; // refused: RL-R09
       u += w[i]())             // refused: RL-R09
    out[i] += u;
  for (; w[i]() < p;) // refused: RL-R09
    ;
  if (i == 2)
    out[i] = 2;
  else if (w[i]() < p) // refused: RL-R09
    out[i] = 3;
  for (int j = 0; j < 2; ++j)
    if (w[i]() < p) // refused: RL-R09
      out[i] = 4;
  if (float u = w[i]()) // refused: RL-R09
    out[i] = u;
  if (int j = 2; w[i]() < p) // refused: RL-R09
    out[j] = p;
  switch (n) {
    if (w[i]() < p) // refused: RL-R09
      out[i] = 5;
  case 4:
    if (w[i]() < p) // refused: RL-R09
      out[i] = 6;
    if (w[i]() > p) // refused: RL-R09
      out[i] = 7;
  }
  switch (n)
  case 3: {
    if (w[i]() < p) // refused: RL-R09
      out[i] = 8;
  case 5:
    out[i] = 9;
  }
  float u = w[i](), v = 2;                // refused: RL-R09
  auto later = [x = w[i]()] { return x; }; // refused: RL-R09
  out[i] += w[i]() + w[i]();         // refused: RL-R09
  out[i] += sizeof(w[i]()) + u + v + later(); // refused: RL-R09
  out[i] += ({ w[i](); }); // refused: RL-R09
}
__global__ void jump(Walker *w, float p, float *out) {
  int i = threadIdx.x;
  if (i > 3)
    goto end;
  if (w[i]() < p) // refused: RL-R09
    out[i] = 1;
  switch (i) {
  case 2:
  end:
    out[i] += 1;
  }
}
int main() {
  Walker *w;
  float *out;
  cudaMalloc(&w, 64 * sizeof(Walker));
  cudaMalloc(&out, 64 * sizeof(float));
  k<<<1, 64>>>(w, 64, 0.5f, out);
  jump<<<1, 64>>>(w, 0.5f, out);
}
