// R exploded
struct R {
  float x[4];
  float m[2][3];
  int n;
};

__device__ float total(const float *values) { return values[0] + values[3]; }
__device__ float first(const float (&values)[4]) { return values[0]; }

__global__ void k(R *p, const R *q, int i) {
  float *kept = p[i].x;      // refused: RL-R14
  float sum = total(p[i].x); // refused: RL-R14
  sum += first(q[i].x);      // refused: RL-R14
  float(&whole)[4] = p[i].x; // refused: RL-R14
  for (float value : p[i].x) // refused: RL-R14
    sum += value;
  sum += *p[i].x;              // refused: RL-R14
  sum += *(p->x + 1);          // refused: RL-R14
  sum += 2 [p[i].x];           // refused: RL-R14
  float *row = p[i].m[1];      // refused: RL-R14
  decltype(p[i].x) other = {}; // refused: RL-R14
  float *address = &p[i].x[0];
  sum += address[1];      // refused: RL-R04
  auto pointer = &p[i].x; // refused: RL-R14
  p[i].n = (int)(sum + p[i].x[2] + kept[0] + whole[1] + row[0] + other[0] + *address + **pointer);
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p, p, 0);
}
