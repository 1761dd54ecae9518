// Records of a namespace and of none.
#pragma once

namespace model {
struct Node {
  float x, y, z;
  int id;
  double weight;
};
} // namespace model

struct Link {
  int a, b;
  float x, strength;
};
