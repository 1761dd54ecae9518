#include "sort.h"
#include <thrust/sort.h>

struct Younger {
  __host__ __device__ bool operator()(const Fish &a, const Fish &b) const {
    return a.age < b.age || (a.age == b.age && a.x < b.x);
  }
};

void sortByAge(thrust::device_vector<Fish> &fish) {
  thrust::sort(fish.begin(), fish.end(), Younger());
}
