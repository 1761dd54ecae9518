// R soa
struct R {
  float x, y;
};

__device__ R table[64];

template <int N> __device__ void fill(R (&all)[N]) { // refused: RL-R06
  for (int i = 0; i < N; ++i)
    all[i].x = 1;
}

__global__ void k() { fill(table); }

int main() { k<<<1, 1>>>(); }
