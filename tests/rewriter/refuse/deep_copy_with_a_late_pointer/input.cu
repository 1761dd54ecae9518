// R soa
struct R { float x, y; };
struct Scene {
  R *records; // refused: RL-R03
  int count;
};

__global__ void k(Scene *s) { s->count = s->records ? 1 : 0; }

int main(int argc, char **) {
  Scene h{new R[8], 8}, *d;
  R *records;
  cudaMalloc(&d, sizeof(Scene));
  cudaMalloc(&records, 8 * sizeof(R));
  cudaMemcpy(records, h.records, 8 * sizeof(R), cudaMemcpyHostToDevice);
  cudaMemcpy(d, &h, sizeof(Scene), cudaMemcpyHostToDevice);
  if (argc > 1)
    cudaMemcpy(&d->records, &records, sizeof(R *), cudaMemcpyHostToDevice);
  k<<<1, 1>>>(d);
}
