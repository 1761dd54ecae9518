// SPDX-License-Identifier: Apache-2.0
// What the programs of gpu_form_test share: a record, and two arrays of it that each kernel gets
// anew. A kernel's threads touch only elements that no other writes.
#pragma once

#include <cstdio>
#include <vector>

struct P {
  float x, y;
  int n;
  double d;
};

constexpr int kRecords = 200;

class Arrays {
public:
  Arrays() {
    cudaMalloc(&p, kRecords * sizeof(P));
    cudaMalloc(&q, kRecords * sizeof(P));
    cudaMalloc(&out, kRecords * sizeof(float));
    fill();
  }
  Arrays(const Arrays &) = delete;
  Arrays &operator=(const Arrays &) = delete;
  ~Arrays() {
    cudaFree(p);
    cudaFree(q);
    cudaFree(out);
  }

  /// Says what a kernel has left in the arrays, and fills them for the next one.
  void print(const char *name) {
    std::vector<float> results(kRecords);
    cudaMemcpy(results.data(), out, kRecords * sizeof(float), cudaMemcpyDeviceToHost);
    double sum = 0;
    for (const float result : results)
      sum += result;
    for (const P *records : {p, q}) {
      std::vector<P> copy(kRecords);
      cudaMemcpy(copy.data(), records, kRecords * sizeof(P), cudaMemcpyDeviceToHost);
      for (int i = 0; i < kRecords; ++i)
        sum += (1 + i % 3) * (copy[i].x + 2 * copy[i].y + 3 * copy[i].n + copy[i].d);
    }
    std::printf("%s %.9g\n", name, sum);
    fill();
  }

  P *p = nullptr;
  P *q = nullptr;
  float *out = nullptr;

private:
  void fill() {
    std::vector<P> records(kRecords);
    for (int i = 0; i < kRecords; ++i)
      records[i] = {i * 0.5f, i * 1.5f - 20, (i * 7) % 11, i * 0.25};
    cudaMemcpy(p, records.data(), kRecords * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemcpy(q, records.data(), kRecords * sizeof(P), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, kRecords * sizeof(float));
  }
};
