// float4 soa
// What is called changes the element, though the function that the call names does not.
struct Rule {
  __device__ virtual void apply(float4 &v) {
    float w = v.w;
    w += 1;
  }
};
struct Growth : Rule {
  __device__ void apply(float4 &v) override { v.x += 1; }
};

__global__ void each(float4 *all) {
  Growth growth;
  Rule *rule = &growth;
  float4 own = all[threadIdx.x];
  rule->apply(own);
  rule->apply(all[threadIdx.x]); // refused: RL-R09
  all[threadIdx.x].y = own.y;
}

int main() {
  float4 *all;
  cudaMalloc(&all, 32 * sizeof(float4));
  each<<<1, 32>>>(all);
}
