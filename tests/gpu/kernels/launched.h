// SPDX-License-Identifier: Apache-2.0
// What launch_forms.cu launches. The kernels are a translation unit of their own: it has probes,
// and the one with the calls, which include some that relayout does not know, has none.
#pragma once

struct Cell {
  float value;
  float sum;
};

const int kThreads = 128;
const int kBlocks = 4;
const int kCells = kThreads * kBlocks;
const long kWarpsALaunch = kCells / 32;

/// One read and one write a thread.
__global__ void touch(Cell *cells);
/// `repeats` reads a thread.
__global__ void readMuch(Cell *cells, int repeats);
/// Runs until the clock has gone on by so much; then a read and a write a thread.
__global__ void linger(Cell *cells, long long cycles);
/// Writes where there is nothing.
__global__ void fail(Cell *cells);
