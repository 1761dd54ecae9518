#include <cstdio>

extern "C" {
#include "wave.h"
}

void print_waves(const struct wave *waves, int n) {
  for (int i = 0; i < n; ++i)
    std::printf("%g %g %d\n", waves[i].height, waves[i].speed, waves[i].kind);
}
