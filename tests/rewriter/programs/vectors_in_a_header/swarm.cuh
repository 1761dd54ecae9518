#pragma once
#include <thrust/device_vector.h>

struct Bird {
  float x, y;
  int kind;
};

class Swarm {
public:
  void fill(const Bird *birds, int n);
  void move(int steps);
  const thrust::device_vector<Bird> &birds() const { return birds_; }

private:
  thrust::device_vector<Bird> birds_;
};
