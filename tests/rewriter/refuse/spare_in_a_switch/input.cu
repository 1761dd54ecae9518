// R soa
// The cases of a switch follow each other in no one order.
struct R { float x, y; };
__global__ void k(R *p) { p[threadIdx.x].x += p[threadIdx.x].y; } // refused: RL-R03
void read(R *p) { p->x = p->y; }
int main(int argc, char **argv) {
  R *host = new R[64], *device, *spare;
  cudaMalloc(&device, 64 * sizeof(R));
  for (int i = 0; i < argc; ++i)
    switch (i) {
    case 0:
      read(host);
      spare = host;
      break;
    case 1:
      k<<<1, 64>>>(device);
      spare = device;
    case 2:
      k<<<1, 64>>>(spare);
    }
}
