/* Read by itself, and between the braces of pool.h. */
#ifndef NODE_H
#define NODE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int depth;
  float bound[2];
} Node;

#ifdef __cplusplus
}
#endif

#endif
