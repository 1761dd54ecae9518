// R soa
struct Slot {
  int a, b;
};
struct R {
  Slot slots[4];
  float x;
};

__device__ Slot *kept;

__device__ Slot *slotOf(R *p, int i) { return &p->slots[i]; }

__global__ void k(R *p) {
  slotOf(p, 1)->a = 2;
  kept = slotOf(p, 2);   // refused: RL-R04
  slotOf(p, 0)[1].b = 3; // refused: RL-R04
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 1>>>(p);
}
