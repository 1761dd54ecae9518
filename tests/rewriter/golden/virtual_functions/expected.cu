// Virtual functions that take and return pointers to records, with all that override them.
// clang-format off
#include <cstdio>
#include <memory>
#include <vector>

struct Body { float x, v; int steps; };
#include "body_layout.h"

__global__ void push(BodyView bodies, int n, float dt) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bodies.x(i) += bodies.v(i) * dt;
}

__global__ void damp(BodyView bodies, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { bodies.v(i) *= 0.5f; bodies.steps(i)++; }
}

class Stage {
public:
  virtual ~Stage() = default;
  virtual void run(BodyView bodies, int n) = 0;
  virtual ConstBodyView first(ConstBodyView bodies) const { return bodies; }
};

class Push : public Stage {
public:
  explicit Push(float dt) : dt_(dt) {}
  void run(BodyView bodies, int n) override { push<<<1, 128>>>(bodies, n, dt_); }
protected:
  float dt_;
};

class PushTwice : public Push {
public:
  PushTwice() : Push(0.25f) {}
  virtual void run(BodyView b, int n) {
    Push::run(b, n);
    Push::run(b + n / 2, n - n / 2);
  }
  ConstBodyView first(ConstBodyView bodies) const final { return bodies + 1; }
};

template <int N> struct Damp : Stage {
  void run(BodyView bodies, int n) override { for (int k = 0; k < N; ++k) damp<<<1, 128>>>(bodies, n); }
};

int main() {
  const int n = 100;
  std::vector<Body> host(n);
  for (int i = 0; i < n; ++i) host[i] = {float(i), 1, 0};
  BodyView bodies;
  bodyMalloc(&bodies, n * sizeof(Body));
  bodyMemcpy(bodies, host.data(), n * sizeof(Body), cudaMemcpyHostToDevice);
  std::vector<std::unique_ptr<Stage>> stages;
  stages.push_back(std::make_unique<Push>(0.5f));
  stages.push_back(std::make_unique<PushTwice>());
  stages.push_back(std::make_unique<Damp<3>>());
  for (auto &stage : stages) {
    stage->run(bodies, n);
    Body one;
    bodyMemcpy(&one, stage->first(bodies), sizeof(Body), cudaMemcpyDeviceToHost);
    printf("%g %g %d\n", one.x, one.v, one.steps);
  }
  bodyFree(bodies);
}
