#include "sort.h"
#include "swim.h"
#include <cstdio>
#include <thrust/host_vector.h>

int main() {
  const std::vector<Fish> young = hatch(100);
  thrust::device_vector<Fish> fish(young.begin(), young.end());
  for (int t = 0; t < 3; ++t) {
    swim(fish, 0.25f);
    sortByAge(fish);
  }
  thrust::host_vector<Fish> all = fish;
  float sum = 0;
  for (int i = 0; i < 100; ++i)
    sum += all[i].x * (i % 5) + all[i].age;
  std::printf("%g\n", sum);
}
