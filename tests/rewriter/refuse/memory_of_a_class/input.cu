// Neuron soa
class Managed {
public:
  void *operator new[](size_t bytes) {
    void *memory;
    cudaMallocManaged(&memory, bytes);
    return memory;
  }
  void operator delete[](void *memory) { cudaFree(memory); }
};

struct Neuron : public Managed {
  float v, u;
};

__global__ void step(Neuron *neurons) { neurons[threadIdx.x].v += neurons[threadIdx.x].u; }

int main() {
  Neuron *neurons = new Neuron[64]; // refused: RL-R05
  for (int i = 0; i < 64; ++i)
    neurons[i].v = neurons[i].u = i;
  step<<<1, 64>>>(neurons);
  cudaDeviceSynchronize();
  delete[] neurons;
}
