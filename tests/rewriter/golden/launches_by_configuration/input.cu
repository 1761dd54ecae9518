// Kernels that cudaLaunchKernelEx and cudaLaunchKernelExC launch.
#include <cstdio>
#include <vector>

struct Particle {
  float x, y, vx, vy;
  int id;
};

template <class T> __global__ void scale(T *particles, int n, float factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particles[i].x *= factor;
}

__global__ void move(Particle *particles, int n, float dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    particles[i].x += dt * particles[i].vx;
}

__global__ void sum(const Particle *particles, float *sums, int n) {
  __shared__ float part[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? particles[i].x : 0;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {
    if (threadIdx.x < k)
      part[threadIdx.x] += part[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0];
}

int main() {
  int n = 300;
  float dt = 0.5f;
  std::vector<Particle> host(n);
  for (int i = 0; i < n; ++i)
    host[i] = {1.0f * i, 0, 1, 2, i};
  Particle *particles = nullptr;
  float *sums = nullptr;
  cudaMalloc(&particles, n * sizeof(Particle));
  cudaMalloc(&sums, 3 * sizeof(float));
  cudaMemcpy(particles, host.data(), n * sizeof(Particle), cudaMemcpyHostToDevice);

  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributePriority;
  attribute.val.priority = 0;
  cudaLaunchConfig_t configuration = {};
  configuration.gridDim = dim3(3);
  configuration.blockDim = dim3(128);
  configuration.attrs = &attribute;
  configuration.numAttrs = 1;
  cudaLaunchKernelEx(&configuration, move, particles, n, dt);
  cudaLaunchKernelEx(&configuration, scale<Particle>, particles, n, 2.0f);
  void *arguments[] = {&particles, &n, &dt};
  cudaLaunchKernelExC(&configuration, reinterpret_cast<void *>(move), arguments);
  cudaLaunchKernelEx(&configuration, sum, particles, sums, n);

  float parts[3];
  cudaMemcpy(parts, sums, sizeof parts, cudaMemcpyDeviceToHost);
  cudaMemcpy(host.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost);
  std::printf("%f %f %s\n", parts[0] + parts[1] + parts[2], host[7].x,
              cudaGetErrorString(cudaGetLastError()));
  cudaFree(particles);
  cudaFree(sums);
}
