// Body soa
// What is made of an element may keep its address.
#include <utility>
#include <vector>

struct Body {
  double x, y;
};

struct Watch {
  explicit Watch(const Body &body) : body(&body) {}
  const Body *body;
};

__global__ void move(Body *bodies) { bodies[threadIdx.x].x += bodies[threadIdx.x].y; }

int main() {
  Body *bodies;
  cudaMallocManaged(&bodies, 64 * sizeof(Body));
  move<<<1, 64>>>(bodies);
  cudaDeviceSynchronize();
  std::vector<Watch> watches;
  for (int i = 0; i < 64; ++i)
    watches.emplace_back(bodies[i]); // refused: RL-R09
  std::pair<Body, Watch> both(bodies[0], bodies[1]); // refused: RL-R09
  cudaFree(bodies);
}
