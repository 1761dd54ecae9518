// R soa
// The first use is of what the iteration before left.
struct R { float x, y; };
__global__ void k(R *p) { p[threadIdx.x].x += p[threadIdx.x].y; } // refused: RL-R03
void read(R *p) { p->x = p->y; }
int main(int argc, char **argv) {
  R *host = new R[64], *device, *spare;
  cudaMalloc(&device, 64 * sizeof(R));
  spare = host;
  read(spare);
  for (int i = 0; i < argc; ++i) {
    if (i > 0)
      k<<<1, 64>>>(spare);
    spare = device;
  }
}
