// R soa
// A pointer to the variable sees all its values.
struct R { float x, y; };
__global__ void k(R *p) { p[threadIdx.x].x += p[threadIdx.x].y; } // refused: RL-R03
void read(R *p) { p->x = p->y; }
int main(int argc, char **argv) {
  R *host = new R[64], *device, *spare;
  cudaMalloc(&device, 64 * sizeof(R));
  R **address = &spare;
  spare = host;
  read(spare);
  spare = device;
  k<<<1, 64>>>(*address);
}
