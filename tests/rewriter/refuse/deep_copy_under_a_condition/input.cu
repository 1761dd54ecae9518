// R soa
struct R { float x, y; };
struct Scene {
  R *records; // refused: RL-R03
  int count;
};

__global__ void k(Scene *s) { s->records[threadIdx.x].x += 1; }

void run(Scene *h, Scene *d, R *records) {
  h && cudaMemcpy(d, h, sizeof(Scene), cudaMemcpyHostToDevice);
  cudaMemcpy(&d->records, &records, sizeof(R *), cudaMemcpyHostToDevice);
  k<<<1, 1>>>(d);
}

int main() {
  Scene h{new R[8], 8}, *d;
  R *records;
  cudaMalloc(&d, sizeof(Scene));
  cudaMalloc(&records, 8 * sizeof(R));
  cudaMemcpy(records, h.records, 8 * sizeof(R), cudaMemcpyHostToDevice);
  run(&h, d, records);
}
