// R soa
struct R { float x, y; };
struct Scene {
  R *records; // refused: RL-R03
  int count;
};
template <class T> struct Step { static constexpr int value = 1; };
template <> struct Step<Scene> { static constexpr int value = 4; };

template <class T> __global__ void k(T s) { s.records[threadIdx.x * Step<T>::value].x += 1; }

int main() {
  Scene h{new R[8], 8}, d;
  h.records[0].x = 1;
  d.count = h.count;
  cudaMalloc(&d.records, 8 * sizeof(R));
  k<<<1, 1>>>(d);
}
