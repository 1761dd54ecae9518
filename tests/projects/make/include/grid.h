#pragma once

struct Cell {
  float heat, flow, source;
  int kind;
};

void warm(Cell *host, int count, int steps);
