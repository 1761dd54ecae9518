// SPDX-License-Identifier: Apache-2.0
// Rows in groups that a block relaxes in shared memory; groups and the rows inside have colours.
#pragma once

#include "../problem.h"
#include "device_array.cuh"

#include <array>

const int kGroup = 256; // points of a group at most: one byte numbers them
const int kInnerColours = 2;

// Points sorted by the colour of their group and by group; transposed entries.
struct Groups {
  const double *outerValues, *innerValues;
  const int *outerColumns;
  const unsigned char *innerColumns; // places in the group
  const double *diagonals;
  const int *unknowns;
  const unsigned char *colours; // inside the group
  const int *firstPoints;
  int outerWidth, innerWidth, innerColours, points;
};

__device__ inline double outerSum(const Groups &g, int point, const double *x) {
  double sum = 0.0;
  for (int k = 0; k < g.outerWidth; ++k)
    sum += g.outerValues[(std::size_t)k * g.points + point] *
           x[g.outerColumns[(std::size_t)k * g.points + point]];
  return sum;
}

__device__ inline double innerSum(const Groups &g, int point, const double *shared) {
  double sum = 0.0;
  for (int k = 0; k < g.innerWidth; ++k)
    sum += g.innerValues[(std::size_t)k * g.points + point] *
           shared[g.innerColumns[(std::size_t)k * g.points + point]];
  return sum;
}

__global__ void multiplyGroups(Groups g, const double *x, double *y) {
  __shared__ double shared[kGroup];
  const int point = g.firstPoints[blockIdx.x] + threadIdx.x;
  const bool active = point < g.firstPoints[blockIdx.x + 1];
  const int unknown = active ? g.unknowns[point] : 0;
  if (active)
    shared[threadIdx.x] = x[unknown];
  __syncthreads();
  if (active)
    y[unknown] = outerSum(g, point, x) + innerSum(g, point, shared) +
                 g.diagonals[point] * shared[threadIdx.x];
}

__global__ void relaxGroups(Groups g, int firstGroup, bool backward, const double *r, double *x) {
  __shared__ double shared[kGroup];
  const int group = firstGroup + blockIdx.x;
  const int point = g.firstPoints[group] + threadIdx.x;
  const bool active = point < g.firstPoints[group + 1];
  int unknown = 0, mine = -1;
  double sum = 0.0;
  if (active) {
    unknown = g.unknowns[point];
    mine = g.colours[point];
    shared[threadIdx.x] = x[unknown];
    sum = r[unknown] - outerSum(g, point, x);
  }
  for (int n = 0; n < g.innerColours; ++n) {
    __syncthreads();
    if (mine == (backward ? g.innerColours - 1 - n : n))
      shared[threadIdx.x] = (sum - innerSum(g, point, shared)) / g.diagonals[point];
  }
  if (active)
    x[unknown] = shared[threadIdx.x];
}

// A matrix by coloured groups of consecutive rows.
class ColouredGroups {
public:
  explicit ColouredGroups(const Matrix &matrix) : points_(matrix.rows) {
    const std::vector<int> groupOf = formGroups(matrix);
    const ColouredOrder order = sortByColour(colourRows(quotient(matrix, groupOf)));
    first_ = order.first;
    std::vector<int> firstPoints = {0}, unknowns;
    std::vector<unsigned char> places(matrix.rows);
    for (int group : order.rows) {
      for (int row = groupBegins_[group]; row < groupBegins_[group + 1]; ++row) {
        places[row] = (unsigned char)(row - groupBegins_[group]);
        unknowns.push_back(row);
      }
      firstPoints.push_back((int)unknowns.size());
    }
    fill(matrix, groupOf, unknowns, places);
    firstPoints_ = Array<int>(firstPoints);
    unknowns_ = Array<int>(unknowns);
  }
  void multiply(const double *x, double *y) const {
    multiplyGroups<<<first_.back(), threads_>>>(groups(), x, y);
  }
  void smooth(const double *r, double *x) const {
    const int colours = (int)first_.size() - 1;
    for (int n = 0; n < 2 * colours; ++n) {
      const int colour = n < colours ? n : 2 * colours - 1 - n;
      relaxGroups<<<first_[colour + 1] - first_[colour], threads_>>>(groups(), first_[colour],
                                                                     n >= colours, r, x);
    }
  }

private:
  // Cuts the rows into groups, as long as the inner colours suffice, and colours inside each.
  std::vector<int> formGroups(const Matrix &matrix) {
    std::vector<int> groupOf(matrix.rows);
    colours_.resize(matrix.rows);
    groupBegins_ = {0};
    for (int row = 0; row < matrix.rows; ++row) {
      std::array<bool, kInnerColours> taken = {};
      for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k)
        if (matrix.column[k] >= groupBegins_.back() && matrix.column[k] < row)
          taken[colours_[matrix.column[k]]] = true;
      int colour = (int)(std::find(taken.begin(), taken.end(), false) - taken.begin());
      if (colour == kInnerColours || row - groupBegins_.back() == kGroup) {
        groupBegins_.push_back(row);
        colour = 0;
      }
      colours_[row] = (unsigned char)colour;
      groupOf[row] = (int)groupBegins_.size() - 1;
    }
    groupBegins_.push_back(matrix.rows);
    for (std::size_t n = 1; n < groupBegins_.size(); ++n)
      threads_ = std::max(threads_, (groupBegins_[n] - groupBegins_[n - 1] + 31) / 32 * 32);
    return groupOf;
  }

  // Which groups have neighbouring rows, as a matrix without values.
  [[nodiscard]] Matrix quotient(const Matrix &matrix, const std::vector<int> &groupOf) const {
    Matrix groups;
    groups.rows = (int)groupBegins_.size() - 1;
    for (int group = 0; group < groups.rows; ++group) {
      std::vector<int> neighbours;
      for (int k = matrix.start[groupBegins_[group]]; k < matrix.start[groupBegins_[group + 1]];
           ++k)
        if (groupOf[matrix.column[k]] != group)
          neighbours.push_back(groupOf[matrix.column[k]]);
      std::sort(neighbours.begin(), neighbours.end());
      neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
      groups.column.insert(groups.column.end(), neighbours.begin(), neighbours.end());
      groups.start.push_back((int)groups.column.size());
    }
    return groups;
  }

  void fill(const Matrix &matrix, const std::vector<int> &groupOf, const std::vector<int> &unknowns,
            const std::vector<unsigned char> &places) {
    const std::size_t points = matrix.rows;
    std::vector<int> outer(points), inner(points); // entries of each point
    for (std::size_t i = 0; i < points; ++i)
      for (int k = matrix.start[unknowns[i]]; k < matrix.start[unknowns[i] + 1]; ++k)
        if (matrix.column[k] != unknowns[i])
          ++(groupOf[matrix.column[k]] == groupOf[unknowns[i]] ? inner : outer)[i];
    outerWidth_ = *std::max_element(outer.begin(), outer.end());
    innerWidth_ = *std::max_element(inner.begin(), inner.end());
    std::vector<int> outerColumns(outerWidth_ * points);
    std::vector<unsigned char> innerColumns(innerWidth_ * points), colours(points);
    std::vector<double> outerValues(outerWidth_ * points), innerValues(innerWidth_ * points);
    std::vector<double> diagonals(points);
    for (std::size_t i = 0; i < points; ++i) {
      const int row = unknowns[i];
      colours[i] = colours_[row];
      int outerCount = 0, innerCount = 0;
      for (int k = matrix.start[row]; k < matrix.start[row + 1]; ++k) {
        const int column = matrix.column[k];
        if (column == row) {
          diagonals[i] = matrix.value[k];
        } else if (groupOf[column] == groupOf[row]) {
          innerColumns[innerCount * points + i] = places[column];
          innerValues[innerCount++ * points + i] = matrix.value[k];
        } else {
          outerColumns[outerCount * points + i] = column;
          outerValues[outerCount++ * points + i] = matrix.value[k];
        }
      }
      for (; innerCount < innerWidth_; ++innerCount)
        innerColumns[innerCount * points + i] = places[row];
      for (; outerCount < outerWidth_; ++outerCount)
        outerColumns[outerCount * points + i] = row;
    }
    outerValues_ = Array<double>(outerValues);
    innerValues_ = Array<double>(innerValues);
    outerColumns_ = Array<int>(outerColumns);
    innerColumns_ = Array<unsigned char>(innerColumns);
    diagonals_ = Array<double>(diagonals);
    deviceColours_ = Array<unsigned char>(colours);
  }

  [[nodiscard]] Groups groups() const {
    return {outerValues_.get(), innerValues_.get(), outerColumns_.get(),  innerColumns_.get(),
            diagonals_.get(),   unknowns_.get(),    deviceColours_.get(), firstPoints_.get(),
            outerWidth_,        innerWidth_,        kInnerColours,        points_};
  }

  int points_, threads_ = 32, outerWidth_ = 0, innerWidth_ = 0;
  std::vector<int> groupBegins_, first_;
  std::vector<unsigned char> colours_;
  Array<double> outerValues_, innerValues_, diagonals_;
  Array<int> outerColumns_, unknowns_, firstPoints_;
  Array<unsigned char> innerColumns_, deviceColours_;
};
