#pragma once
#include <vector>

struct Fish {
  float x, y;
  int age;
};

std::vector<Fish> hatch(int n);
