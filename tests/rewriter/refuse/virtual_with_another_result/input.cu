// R soa
struct R {
  float x, y;
};

struct Owner {
  R *items;
  virtual const R *get() const { return items; }
};

struct Writer : Owner {
  R *get() const override { return items; } // refused: RL-R10
};

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  Writer owner;
  cudaMalloc(&owner.items, 64 * sizeof(R));
  k<<<1, 1>>>(owner.get());
}
