// Functions and kernels that pointers lead to: in a typedef, a member, a parameter, an array, a choice.
#include <cstdio>
#include <cstring>

struct Body {
  float x, v;
  int tag;
};
#include "body_layout.h"

typedef void (*Step)(BodyView, ConstBodyView, int);
using Kernel = void (*)(BodyView bodies, int n, float dt);

struct Method {
  const char *name;
  Step step;
};

__global__ void move(BodyView b, int n, float dt) {
  int i = threadIdx.x;
  if (i < n)
    b.x(i) += dt * b.v(i);
}

__global__ void bounce(BodyView b, int n, float dt) {
  int i = threadIdx.x;
  if (i < n) {
    b.v(i) = -b.v(i);
    b.x(i) += dt;
  }
}

void stepMove(BodyView d, ConstBodyView other, int n) { move<<<1, 64>>>(d, n, other ? 0.25f : 0.5f); }

void stepBoth(BodyView d, ConstBodyView other, int n) {
  stepMove(d, other, n);
  bounce<<<1, 64>>>(d, n, 0.25f);
}

void launch(void (*kernel)(BodyView, int, float), BodyView bodies, int n) {
  kernel<<<1, 64>>>(bodies, n, 1.0f);
}

class Driver {
public:
  explicit Driver(Kernel kernel) : kernel_(kernel) {}
  void run(BodyView bodies, int n) const { kernel_<<<1, 64>>>(bodies, n, 2.0f); }

private:
  Kernel kernel_ = bounce;
};

const Method methods[] = {{"move", stepMove}, {"both", &stepBoth}};

int main(int argc, char **argv) {
  const int n = 64;
  Body h[n];
  BodyView d;
  for (int i = 0; i < n; ++i)
    h[i] = {1.0f * i, 2.0f, i};
  bodyMalloc(&d, sizeof(h));
  bodyMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
  Step step = nullptr;
  for (const Method &m : methods)
    if (!strcmp(m.name, argc > 1 ? argv[1] : "both"))
      step = m.step;
  if (step == stepMove)
    printf("move\n");
  step(d, nullptr, n);
  void (*kernels[2])(BodyView, int, float) = {move, bounce};
  for (int k = 0; k < 2; ++k)
    launch(kernels[k], d, n);
  launch(argc > 2 ? move : bounce, d, n);
  (*step)(d, d, n);
  Driver(move).run(d, n);
  bodyMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
  printf("%g %g %d\n", h[3].x, h[5].v, h[7].tag);
}
