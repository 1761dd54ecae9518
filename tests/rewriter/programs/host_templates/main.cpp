#include "model.h"

#include <cstdio>

int main() {
  Model model(200);
  model.run(3);
  double sum = 0;
  for (const Cell &cell : model.cells())
    sum += cell.charge + cell.current;
  std::printf("%.9g\n", sum);
}
