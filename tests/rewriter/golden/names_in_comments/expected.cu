// A ParticleView would be nice to have, and a particleMalloc.
struct Particle {
  float x, y;
};
#include "particle_layout.h"

__global__ void move(ParticleView p) { p.x(threadIdx.x) += p.y(threadIdx.x); }

int main() {
  ParticleView p; /* ConstParticleView */
  particleMalloc(&p, 64 * sizeof(Particle));
  move<<<1, 64>>>(p);
  const char *text = "ParticleView";
  particleFree(p);
  return text[0] == 'Q';
}
