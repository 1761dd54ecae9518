// SPDX-License-Identifier: Apache-2.0
// What of a program's results is compared, and what is said where there is nothing to compare.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::test {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ComparedResults, AddressesInCopiedStructsAreLeftOut) {
  const Workplace place;
  place.write("main.cu", R"(
struct P { float x, y; int k; };
struct Scene { P *a; const P *b; int n; float sum; };
__global__ void add(Scene *s) {
  const int i = threadIdx.x;
  s->a[i].x += s->b[i].y;
  if (i == 0) s->sum = s->n;
}
int main() {
  P host[64], *a, *b;
  for (int i = 0; i < 64; ++i) host[i] = P{1.f * i, 2, i};
  cudaMalloc(&a, sizeof(host));
  cudaMalloc(&b, sizeof(host));
  cudaMemcpy(a, host, sizeof(host), cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, sizeof(host), cudaMemcpyHostToDevice);
  Scene scene = {a, b, 64, 0}, *s;
  cudaMalloc(&s, sizeof(Scene));
  cudaMemcpy(s, &scene, sizeof(Scene), cudaMemcpyHostToDevice);
  add<<<1, 64>>>(s);
  cudaMemcpy(&scene, s, sizeof(Scene), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost);
  return scene.sum != 64;
})");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 2 copies, 776 bytes, identical (16 bytes of "
                                     "record padding and addresses left out)"));
}

TEST(ComparedResults, AddressesInArraysOfPointersAreLeftOut) {
  const Workplace place;
  place.write("main.cu", R"(struct P { float x; int n; double w; };
struct Set { int size; int *items; };
__global__ void fill(P *p, Set **sets) {
  const int i = threadIdx.x;
  p[i].x += i;
  sets[i % 4]->items[i / 4] = p[i].n;
}
int main() {
  P host[40], *p;
  for (int i = 0; i < 40; ++i) host[i] = P{1, i, 2};
  cudaMalloc(&p, sizeof host);
  cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
  Set *sets[4], **all, back;
  for (Set *&set : sets) {
    Set made = {10, nullptr};
    cudaMalloc(&made.items, 10 * sizeof(int));
    cudaMalloc(&set, sizeof(Set));
    cudaMemcpy(set, &made, sizeof made, cudaMemcpyHostToDevice);
  }
  cudaMalloc(&all, sizeof sets);
  cudaMemcpy(all, sets, sizeof sets, cudaMemcpyHostToDevice);
  fill<<<1, 40>>>(p, all);
  cudaMemcpy(sets, all, sizeof sets, cudaMemcpyDeviceToHost);
  cudaMemcpy(&back, sets[1], sizeof back, cudaMemcpyDeviceToHost);
  int items[10];
  cudaMemcpy(items, back.items, sizeof items, cudaMemcpyDeviceToHost);
  return items[2] != 9;
})");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 3 copies, 44 bytes, identical (44 bytes of "
                                     "record padding and addresses left out)"));
}

/// \param allocation  a call that fills in `p`
std::string withoutCopies(const std::string &allocation) {
  return "struct P { float x, y, z; };\n"
         "__global__ void move(P *p) { p[blockIdx.x * 64 + threadIdx.x].x += 1; }\n"
         "int main() {\n  P *p;\n  " +
         allocation + "\n  move<<<4, 64>>>(p);\n  cudaDeviceSynchronize();\n  cudaFree(p);\n}\n";
}

TEST(ComparedResults, AProgramWithoutThemIsToldAfterTheTracedRun) {
  const Workplace place;
  place.write("main.cu", withoutCopies("cudaMalloc(&p, 256 * sizeof(P));\n"
                                       "  cudaMemset(p, 0, 256 * sizeof(P));"));
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("nothing is copied to the host"));
  EXPECT_THAT(outcome.err, HasSubstr("RL-V02"));
  EXPECT_THAT(outcome.err, HasSubstr("--plan out/plan.json"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("build original and rewritten program")));
  EXPECT_NE(place.read("out/plan.json"), "");
}

TEST(ComparedResults, StatesOfManagedMemoryAreResults) {
  const Workplace place;
  place.write("main.cu", withoutCopies("cudaMallocManaged(&p, 256 * sizeof(P));"));
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("states of arrays that the host shares with kernels"));
}

TEST(ComparedResults, AnArrayThatALayoutLeavesAloneIsToldWhy) {
  const Workplace place;
  place.write("main.cu", R"(
struct Vec { float e[3]; };
__global__ void fill(Vec *v) { v[threadIdx.x].e[1] = threadIdx.x; }
int main() {
  Vec host[64], *v;
  cudaMalloc(&v, sizeof(host));
  fill<<<1, 64>>>(v);
  cudaMemcpy(host, v, sizeof(host), cudaMemcpyDeviceToHost);
})");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0);
  EXPECT_THAT(outcome.err, HasSubstr("'--layout exploded-soa' stores each of its 3 elements"));
  EXPECT_THAT(outcome.out, HasSubstr("nothing to rewrite"));
}

/// `char *` may lead to anything, but its elements are values like others.
TEST(ComparedResults, CharactersAreValues) {
  const Workplace place;
  place.write("rows.cu", R"(#include <cstdlib>
__global__ void fill(char *rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = 0; k < 64; ++k)
      rows[i * 64 + k] = i + k;
}
int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  char *rows, *host = (char *)calloc(n, 64);
  cudaMalloc(&rows, n * 64);
  fill<<<(n + 127) / 128, 128>>>(rows, n);
  cudaMemcpy(host, rows, n * 64, cudaMemcpyDeviceToHost);
}
)");
  const Outcome outcome = place.relayout("optimize rows.cu --scale 1000 -o out -- 4096");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 1 copy, 262,144 bytes, identical"));
}

TEST(ComparedResults, AProgramThatDoesNotEndIsAnotherOne) {
  const Workplace place;
  const auto program = [](const std::string &condition) {
    return "#include <cstdio>\n"
           "__global__ void wait(volatile int *flag) { while (" +
           condition +
           ") *flag = *flag; }\n"
           "int main() {\n  int h = 0, *p;\n  cudaMalloc(&p, 4);\n"
           "  cudaMemcpy(p, &h, 4, cudaMemcpyHostToDevice);\n  wait<<<1, 1>>>(p);\n"
           "  cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);\n  std::printf(\"%d\\n\", h);\n}\n";
  };
  place.write("before.cu", program("*flag != 0"));
  place.write("after.cu", program("*flag == 0"));
  const Outcome outcome = place.relayout("verify before.cu after.cu");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("the rewritten program has not ended after"));
  EXPECT_THAT(outcome.err, HasSubstr("RL-V01"));
}

TEST(ComparedResults, PaddingOfEachRecordThatATemplateCopiesIsLeftOut) {
  const Workplace place;
  place.write("main.cu", R"(#include <vector>
template <class T> struct Buffer {
  T *p; size_t n;
  explicit Buffer(const std::vector<T> &v) : n(v.size()) {
    cudaMalloc(&p, n * sizeof(T));
    cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Buffer() { cudaFree(p); }
  std::vector<T> download() const {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
    return v;
  }
};
struct Option { double spot, strike; bool isCall; };
struct Greeks { double price; float delta; };
struct Quote { double bid, ask; };
__global__ void price(Option *o, Greeks *g, Quote *quotes, double *sums) {
  const int i = threadIdx.x;
  g[i].price = o[i].spot * o[i].strike;
  g[i].delta = o[i].isCall;
  quotes[i].bid += quotes[i].ask + i;
  o[i].spot += sums[i] + 1;
}
int main() {
  std::vector<Option> options(32);
  for (int i = 0; i < 32; ++i) {
    options[i].spot = options[i].strike = i;
    options[i].isCall = i % 2;
    reinterpret_cast<char *>(&options[i])[20] = 7; // padding
  }
  std::vector<Greeks> greeks(32);
  for (Greeks &each : greeks) reinterpret_cast<char *>(&each)[13] = 7;
  Buffer<Option> o(options);
  Buffer<Greeks> g(greeks);
  Buffer<Quote> quotes(std::vector<Quote>(32));
  Buffer<double> sums(std::vector<double>(32));
  price<<<1, 32>>>(o.p, g.p, quotes.p, sums.p);
  o.download(); g.download(); quotes.download(); sums.download();
})");
  const Outcome outcome = place.relayout("optimize main.cu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("verified: 4 copies, 1,696 bytes, identical (352 bytes of "
                                     "record padding and addresses left out)"));
}

TEST(ComparedResults, StatesOfRecordsOfOneSizeAreToldApartInATemplate) {
  const Workplace place;
  place.write("main.cu", R"(#include <cstddef>
template <class T> struct Buffer {
  T *p = nullptr;
  explicit Buffer(std::size_t n) { cudaMallocManaged(&p, n * sizeof(T)); }
};
namespace { struct Body { float x; int id; double w; }; }
struct Cell { double heat; int count; };
__global__ void fill(Body *b) { b[threadIdx.x].x = b[threadIdx.x].id = threadIdx.x; }
__global__ void bin(const Body *b, Cell *c) { c[b[threadIdx.x].id].count = 1; }
int main() {
  Buffer<Body> bodies(32);
  Buffer<Cell> cells(32);
  Buffer<long> other(32);
  fill<<<1, 32>>>(bodies.p);
  bin<<<1, 32>>>(bodies.p, cells.p);
  cudaDeviceSynchronize();
})");
  const Outcome outcome = place.relayout("optimize main.cu --on cpu --layout soa -o out");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("verified: 6 states of arrays that the host shares with kernels, "
                        "2,304 bytes, identical (256 bytes of record padding and addresses left "
                        "out)"));
}

} // namespace
} // namespace relayout::test
