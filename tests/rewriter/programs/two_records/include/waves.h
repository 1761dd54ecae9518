#pragma once

struct Wave {
  float height, speed, phase;
};

void move(Wave *waves, int count);
