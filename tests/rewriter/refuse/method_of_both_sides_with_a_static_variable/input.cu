// R soa
struct R { float x, y; };
struct Scene {
  R *records; // refused: RL-R03
  int count;
  int asked() const {
    static int calls = 0;
    return ++calls + count;
  }
};

__global__ void k(Scene s) { s.records[threadIdx.x].x += 1; }

int main() {
  Scene h{new R[8], 8}, d;
  h.records[0].x = 1;
  d.count = h.asked();
  cudaMalloc(&d.records, 8 * sizeof(R));
  k<<<1, 1>>>(d);
  return d.asked();
}
