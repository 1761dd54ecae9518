// R soa
struct R {
  float x, y;
};

struct Data { // becomes two types: places behind it are still those of this file
  R *records;
  int count;
};

struct Kept {
  float *field;
};

__global__ void k(Data d, Kept *kept) {
  kept->field = &d.records[0].x; // refused: RL-R04
}

int main() {
  Data host, device;
  host.records = new R[64];
  host.records[0].x = 1;
  Kept *kept;
  cudaMalloc(&kept, sizeof(Kept));
  cudaMalloc(&device.records, 64 * sizeof(R));
  cudaMemcpy(device.records, host.records, 64 * sizeof(R), cudaMemcpyHostToDevice);
  k<<<1, 1>>>(device, kept);
}
