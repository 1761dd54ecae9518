#include <cstdio>

struct Sim {
  void *rows;
  int n;
  double total;
};
extern "C" void start(Sim *sim, int n);
extern "C" void run(Sim *sim);

int main() {
  Sim sim;
  start(&sim, 40);
  run(&sim);
  std::printf("%d %g\n", sim.n, sim.total);
}
