// R soa
// The header names the type of such a member by the member.
class R {
public:
  float x;
  __device__ void set(float (*one)(float)) { f = one; }

private:
  float (*f)(float); // refused: RL-R01
};

__global__ void k(R *p) { p[threadIdx.x].x = 1; }

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  k<<<1, 64>>>(p);
}
