// A ParticleView would be nice to have, and a particleMalloc.
struct Particle {
  float x, y;
};

__global__ void move(Particle *p) { p[threadIdx.x].x += p[threadIdx.x].y; }

int main() {
  Particle *p; /* ConstParticleView */
  cudaMalloc(&p, 64 * sizeof(Particle));
  move<<<1, 64>>>(p);
  const char *text = "ParticleView";
  cudaFree(p);
  return text[0] == 'Q';
}
