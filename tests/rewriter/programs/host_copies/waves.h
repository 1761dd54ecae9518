#pragma once

struct Wave {
  float height, speed, phase;
  int kind;
};

void run(Wave *waves, int count, int steps);
void print(const Wave *host, int count);
