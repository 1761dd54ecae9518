// R soa
struct R {
  float x, y;
};

char *same(char *memory) { return memory; }
void clear(char *memory, size_t bytes) { cudaMemset(same(memory), 0, bytes); }

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
  clear((char *)p, 64 * sizeof(R)); // refused: RL-R05
}
