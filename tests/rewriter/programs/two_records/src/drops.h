#pragma once

struct Drop {
  double x, mass; // and padding behind `kind`
  int kind;
};

void fall(Drop *drops, int count);
int sumOfKinds();
