// R soa
struct R {
  float2 at;
  int n;
};

__device__ decltype(auto) numberOf(const R *p, int i) {
  return p[i].n; // refused: RL-R09
}

__global__ void k(R *p, const R *q) {
  decltype(auto) copy = p[threadIdx.x].n; // refused: RL-R09
  copy += 500;
  decltype(auto) part = p[threadIdx.x].at.x; // refused: RL-R09
  part += 1;
  decltype(auto) before = (*q).at; // refused: RL-R09
  const auto read = [q](int i) -> decltype(auto) {
    return q[i].at; // refused: RL-R09
  };
  decltype(auto) element = q[3]; // refused: RL-R09
  p[threadIdx.x].n = element.n;
  p[threadIdx.x].at.y += before.x + read(1).y + numberOf(q, 2);
  auto value = p[threadIdx.x].at;
  decltype(auto) next = q + 1;
  p[threadIdx.x].n = value.x + next->n;
}

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 32>>>(p, p);
}
