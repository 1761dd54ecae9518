/* C and CUDA units read this. */
#ifndef WAVE_H
#define WAVE_H

struct wave {
  double height, speed;
  int kind;
};

void print_waves(const struct wave *waves, int n);

#endif
