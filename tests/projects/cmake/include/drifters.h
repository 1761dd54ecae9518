#pragma once

struct Drifter {
  float x, y, u, v;
  int cell;
  float age;
};

Drifter *makeDrifters(const Drifter *from, int count);
void readDrifters(Drifter *to, const Drifter *drifters, int count);
void freeDrifters(Drifter *drifters);
void move(Drifter *drifters, int count, int steps);
