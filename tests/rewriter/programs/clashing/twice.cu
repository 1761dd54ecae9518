struct R {
  float y, x;
};
__global__ void work(R *p, int n) { p[threadIdx.x].y = n; }
