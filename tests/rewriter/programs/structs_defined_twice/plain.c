#include <stdio.h>
struct Sim { void *rows; int n; double total; };
void start(struct Sim *sim, int n);
void run(struct Sim *sim);

int main(void) {
  struct Sim sim;
  start(&sim, 40);
  run(&sim);
  printf("%d %g\n", sim.n, sim.total);
  return 0;
}
