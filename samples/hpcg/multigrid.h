// SPDX-License-Identifier: Apache-2.0
// Matrix, vectors and the multigrid preconditioner on the device.
#pragma once
#include "problem.h"

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

const int kWidth = 27;      // entries of a row at most
const int kSumBlocks = 256; // of an inner product, each with a partial sum

// A row of the matrix, filled up with entries of value 0 at its own unknown.
struct Row {
  double value[kWidth];
  double diagonal;
  int column[kWidth];
  int unknown; // whose equation this is: rows are sorted by colour, unknowns are not
};

// One grid; the next level has half as many points along each axis.
struct Level {
  int count = 0;
  std::vector<int> first; // where each colour's rows begin
  Row *rows = nullptr;
  int *fine = nullptr; // this level's unknowns on the finer one
  double *r = nullptr, *x = nullptr, *ax = nullptr;
};

// All zeros.
double *allocateVector(int count);

Level makeLevel(const Matrix &matrix, const ColouredOrder &order, const std::vector<int> &fine);
void freeLevel(Level &level);

// y = A x
void multiply(const Level &level, const double *x, double *y);

// One V-cycle on the equation A x = r, from x = 0.
void precondition(const std::vector<Level> &levels, std::size_t depth, const double *r, double *x);

// result = x + factor * y
void combine(const double *x, double factor, const double *y, int count, double *result);

// Needs room for kSumBlocks partial sums.
double innerProduct(const double *a, const double *b, int count, double *partial);
