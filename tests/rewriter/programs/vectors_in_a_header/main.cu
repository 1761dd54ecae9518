// Only this unit copies the records to a vector of the host's.
#include "swarm.cuh"
#include <cstdio>
#include <thrust/host_vector.h>
#include <vector>

int main() {
  std::vector<Bird> birds(100);
  for (int i = 0; i < 100; ++i)
    birds[i] = {0.5f * i, 1.0f, i % 3};
  Swarm swarm;
  swarm.fill(birds.data(), 100);
  swarm.move(3);
  const thrust::host_vector<Bird> moved = swarm.birds();
  std::printf("%g %g\n", moved[8].x, moved[99].x);
}
