#include "pixel.h"
#include <cstdio>
#include <vector>

float brightness(const Pixel *pixels, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += pixels[i].red + pixels[i].green + pixels[i].blue * pixels[i].hits;
  return sum;
}

int main() {
  std::vector<Pixel> pixels(200);
  render(pixels.data(), 200);
  std::printf("%g\n", brightness(pixels.data(), 200));
}
