// R soa
struct R { // the shallow copy of a struct of pointers
  float x, y;
};

struct Data {
  R *records; // refused: RL-R03
};

void clear(Data data) { data.records[0].x = 0; }

__global__ void k(Data d) { d.records[0].x = 1; }

int main() {
  Data host;
  host.records = new R[64];
  Data device = host;
  clear(device); // still the host's
  cudaMalloc(&device.records, 64 * sizeof(R));
  k<<<1, 1>>>(device);
}
