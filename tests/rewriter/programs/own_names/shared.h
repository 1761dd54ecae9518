#pragma once
struct R {
  float x, y;
};
void run(R *p, int n);
