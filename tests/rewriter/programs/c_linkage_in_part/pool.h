#ifndef POOL_H
#define POOL_H

#ifdef __cplusplus
extern "C" {
#endif

#include "node.h"

typedef struct {
  Node *nodes;
  int count;
} Pool;

void fill(Pool *pool, int count);

#ifdef __cplusplus
}
#endif

#endif
