#pragma once

struct Pixel {
  float red, green, blue;
  int hits;
};

float brightness(const Pixel *pixels, int n);
void render(Pixel *pixels, int n);
