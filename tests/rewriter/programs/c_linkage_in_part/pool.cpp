#include "pool.h"

#include <cstdlib>

void fill(Pool *pool, int count) {
  pool->nodes = (Node *)malloc(count * sizeof(Node));
  pool->count = count;
  for (int i = 0; i < count; ++i) {
    pool->nodes[i].depth = i % 7;
    pool->nodes[i].bound[0] = 0.5f * i;
    pool->nodes[i].bound[1] = 2.0f;
  }
}
