#pragma once

struct Wind {
  float east, north, gusts;
};

Wind *makeWind(int cells);
void freeWind(Wind *wind);
