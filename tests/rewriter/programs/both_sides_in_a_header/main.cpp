#include "tokens.h"

#include <cstdio>
#include <vector>

int main() {
  std::vector<Token> tokens(9);
  for (int i = 0; i < 9; ++i) {
    tokens[i].kind = i % 2;
    tokens[i].value = i;
    tokens[i].operation = i % 3 == 0 ? '-' : '+';
  }
  std::printf("%f %f\n", onDevice(tokens.data(), 9), Formula::evaluate(tokens.data(), 9, 2));
}
