// Vec soa
// What is called changes the element, though the function that the call names does not.
struct Vec {
  float x, y;
};

struct Rule {
  __device__ virtual void apply(Vec &) {}
};
struct Growth : Rule {
  __device__ void apply(Vec &v) override { v.x += 1; }
};

__global__ void each(Vec *all) {
  Growth growth;
  Rule *rule = &growth;
  Vec own{};
  rule->apply(own);
  all[threadIdx.x].y = own.y;
  rule->apply(all[threadIdx.x]); // refused: RL-R09
}

int main() {
  Vec *all;
  cudaMalloc(&all, 32 * sizeof(Vec));
  each<<<1, 32>>>(all);
}
