// The record is aligned at its declaration, so that functions need no copies.
struct Body {
  float x, y, mass;
  int hits;
};

__device__ void update(Body *b, float dt) {
  b->x += dt * b->mass;
  ++b->hits;
}

__global__ void step(Body *bodies) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  Body own = bodies[i];
  update(&own, 0.25f);
  update(&bodies[i], own.x);
}

int main() {
  const int n = 128;
  Body host[n] = {}, *bodies;
  cudaMalloc(&bodies, sizeof(host));
  cudaMemcpy(bodies, host, sizeof(host), cudaMemcpyHostToDevice);
  step<<<n / 32, 32>>>(bodies);
  cudaMemcpy(host, bodies, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(bodies);
}
