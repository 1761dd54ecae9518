// Host C++ that knows nothing of CUDA.
#include "waves.h"

#include <cstdio>

void print(const Wave *host, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += host[i].height + host[i].kind;
  std::printf("%.9g\n", sum);
}
