// A function for both sides, whose marks mean nothing to host C++.
#pragma once

#ifdef __CUDACC__
#define BOTH_SIDES __host__ __device__
#else
#define BOTH_SIDES
#endif

struct Token {
  int kind;
  double value;
  char operation;

  BOTH_SIDES Token() : kind(0), value(0), operation('+') {}
};

class Formula {
public:
  BOTH_SIDES inline static double evaluate(const Token *tokens, int count, double x) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
      const Token &token = tokens[i];
      sum += token.kind == 0 ? token.value : token.operation == '+' ? x : -x;
    }
    return sum;
  }
};

double onDevice(const Token *tokens, int count);
