// R soa
struct R { float x, y; };
struct Scene {
  R *records = nullptr; // refused: RL-R03
  int count = 0, copies = 0;
  Scene() = default;
  Scene(const Scene &other) : records(other.records), count(other.count), copies(other.copies + 1) {}
};

__global__ void k(R *records) { records[threadIdx.x].x += 1; }
__global__ void l(Scene *s) { s->records[0].x += 1; }

int main() {
  Scene h;
  h.records = new R[8];
  Scene d = h;
  cudaMalloc(&d.records, 8 * sizeof(R));
  k<<<1, 1>>>(d.records);
  l<<<1, 1>>>(nullptr);
  return d.copies;
}
