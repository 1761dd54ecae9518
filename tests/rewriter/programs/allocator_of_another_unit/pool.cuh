#pragma once
#include <cstddef>

struct Pool {
  void take(void **memory, size_t bytes);
  void give(void *memory);
  size_t taken = 0;
};

extern Pool *const pool;
