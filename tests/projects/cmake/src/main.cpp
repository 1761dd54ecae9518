#include "drifters.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {
int square(int value) { return value * value; }
} // namespace

int main(int argc, char **argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 1000;
  std::vector<Drifter> host(count);
  for (int i = 0; i < count; ++i)
    host[i] = Drifter{0.5f * i, 1.0f, 0, 0, square(i) % 64, 0};
  Drifter *drifters = makeDrifters(host.data(), count);
  move(drifters, count, 5);
  readDrifters(host.data(), drifters, count);
  freeDrifters(drifters);
  double sum = 0;
  for (const Drifter &drifter : host)
    sum += drifter.x + drifter.y + drifter.cell;
  std::printf("%.9g\n", sum);
}
