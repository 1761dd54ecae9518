// R soa
#include <vector>

struct R {
  float x, y;
};

struct Data {
  R *records; // refused: RL-R03
  int count;
};

__global__ void k(Data d) { d.records[0].x = 1; }

int main() {
  Data host;
  host.records = new R[64];
  std::vector<Data> both(2); // its elements have one type
  both[0] = host;
  cudaMalloc(&both[1].records, 64 * sizeof(R));
  k<<<1, 1>>>(both[1]);
}
