// R soa
struct R {
  float x, y;
};

struct Data {
  R *records; // refused: RL-R03
  int count;
};

__global__ void k(Data d) {
  if (d.records) // a copy without the host's pointer would take the other branch
    d.records[0].x = 1;
}

int main(int argc, char **) {
  Data host;
  host.records = new R[64];
  host.count = 64;
  Data device = host;
  if (argc > 1)
    cudaMalloc(&device.records, 64 * sizeof(R));
  k<<<1, 1>>>(device);
}
