// R soa
struct R {
  float x, y;
};

#define ARRAY(name) const char *const text = #name; __device__ R name[64]
ARRAY(table); // refused: RL-R02

__global__ void k() { table[threadIdx.x].x += 1; }

int main() { k<<<1, 1>>>(); }
