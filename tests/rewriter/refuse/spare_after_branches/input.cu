// R soa
// Which value reaches the use depends on the way.
struct R { float x, y; };
__global__ void k(R *p) { p[threadIdx.x].x += p[threadIdx.x].y; } // refused: RL-R03
void read(R *p) { p->x = p->y; }
int main(int argc, char **argv) {
  R *host = new R[64], *device, *spare;
  cudaMalloc(&device, 64 * sizeof(R));
  if (argc > 1) {
    spare = host;
    read(spare);
  } else {
    spare = device;
    k<<<1, 64>>>(spare);
  }
  if (argc == 1)
    k<<<1, 64>>>(spare);
}
