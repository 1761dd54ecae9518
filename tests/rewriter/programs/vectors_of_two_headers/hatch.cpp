#include "fish.h"

std::vector<Fish> hatch(int n) {
  std::vector<Fish> fish(n);
  for (int i = 0; i < n; ++i)
    fish[i] = {float(i), 0.5f * (i % 7), (i * 37) % 11};
  return fish;
}
