// Methods of the record that return the address of a member, or an array that is one.
#include <cstdio>
#include <vector>

struct Vector {
  float x, y, z;
};

class Atom {
public:
  __host__ __device__ float *charges() { return charges_; }
  __host__ __device__ const float *charges() const { return charges_; }
  __host__ __device__ Vector *velocity() { return &velocity_; }
  __host__ __device__ const Vector *position() const { return &position_; }
  __host__ __device__ void place(float x, float y, float z) { position_ = {x, y, z}; }
  __host__ __device__ float &energy() { return energy_; }

private:
  Vector position_, velocity_;
  float charges_[4];
  float energy_;
};

__device__ float total(const float *charges) {
  float sum = 0;
  for (int k = 0; k < 4; ++k)
    sum += charges[k];
  return sum;
}

__global__ void charge(Atom *atoms, const Atom *others, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atoms[i].charges()[1] += 2;
  float *charges = atoms[i].charges();
  charges[2] *= 3;
  const Vector *place = atoms[i].position();
  Vector *velocity = atoms[i].velocity();
  velocity->x += place->x;
  atoms[i].velocity()->y = others[i].position()->z;
  atoms[i].energy() = total(charges) + total(others[i].charges());
}

int main() {
  const int n = 300;
  std::vector<Atom> host(n);
  for (int i = 0; i < n; ++i) {
    host[i].place(1.0f * i, 2, 3);
    *host[i].velocity() = {0, 0, 0};
    for (int k = 0; k < 4; ++k)
      host[i].charges()[k] = i + k;
    host[i].energy() = 0;
  }
  Atom *atoms = nullptr, *others = nullptr;
  cudaMalloc(&atoms, n * sizeof(Atom));
  cudaMalloc(&others, n * sizeof(Atom));
  cudaMemcpy(atoms, host.data(), n * sizeof(Atom), cudaMemcpyHostToDevice);
  cudaMemcpy(others, host.data(), n * sizeof(Atom), cudaMemcpyHostToDevice);
  charge<<<(n + 127) / 128, 128>>>(atoms, others, n);
  cudaMemcpy(host.data(), atoms, n * sizeof(Atom), cudaMemcpyDeviceToHost);
  double sum = 0;
  for (Atom &atom : host)
    sum += atom.energy() + atom.velocity()->x + atom.velocity()->y;
  std::printf("%f\n", sum);
  cudaFree(atoms);
  cudaFree(others);
}
