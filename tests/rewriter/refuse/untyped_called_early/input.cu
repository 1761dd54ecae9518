// R soa
void release(void *p) { cudaFree(p); }

void early() { release(nullptr); }

namespace memory {
void copyIn(void *to, const void *from, size_t bytes);
}

struct R {
  float x, y;
};

void upload(R *to, const R *from) {
  memory::copyIn(to, from, 64 * sizeof(R)); // refused: RL-R13
}

namespace memory {
void copyIn(void *to, const void *from, size_t bytes) {
  cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice);
}
}

__global__ void k(R *p) { p[0].x = 1; }

int main() {
  R *p, host[64] = {};
  cudaMalloc(&p, 64 * sizeof(R));
  upload(p, host);
  k<<<1, 1>>>(p);
  release(p);
}
