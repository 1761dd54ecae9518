// R soa
struct R {
  float x, y;
};

struct Data {
  R *records; // refused: RL-R03
  int count;
};

// One function for both kinds of objects, which does more than to use members.
__host__ __device__ float first(const Data &data) {
  Data copy = data;
  return copy.records[0].x;
}

__global__ void k(Data d) { d.records[0].y = first(d); }

int main() {
  Data host, device;
  host.records = new R[64];
  host.count = device.count = 64;
  cudaMalloc(&device.records, 64 * sizeof(R));
  host.records[0].x = first(host);
  k<<<1, 1>>>(device);
}
