// Bit-fields: those that share a storage unit stay together.
// clang-format off
#include <cstdio>
#include <cstring>

enum Kind { kEmpty, kGrass, kRock };

struct Cell {
  float value;
  unsigned kind : 4;
  unsigned alive : 1;
  unsigned age : 27; // no bit of a Cell that is made in between is undefined
  float next;
  __host__ __device__ bool isOld() const { return alive && age > 50; }
  __device__ void grow(unsigned by) { age += by; value *= 2; }
};

// A unit at the beginning, one that begins behind a byte, and one with a float in it.
struct Packet {
  unsigned version : 4, : 2, length : 26;
  char tag[1];
  unsigned flags : 7;
  unsigned char : 0;
  unsigned char hops : 3;
  float weight;
  unsigned long long target : 24;
  float cost;
};

class Agent {
public:
  __host__ __device__ void reset(int n) { x = n; isActive_ = n % 3 != 0; kind_ = Kind(n % 3); energy_ = n % 100 - 50; }
  __host__ __device__ int energy() const { return isActive_ ? energy_ : 0; }
  double x;
private:
  bool isActive_ : 1;
  Kind kind_ : 3;
  int energy_ : 9;
};

struct Holder {
  struct { signed char low : 3, high : 4; };
  short rest;
};

#define KIND(cell) (cell).kind

__device__ unsigned sum(const Cell &a) { return a.kind + a.age; }

__global__ void step(Cell *cells, const Cell *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Cell *cell = cells + i;
  Cell &own = cells[i];
  cells[i].kind = from[i].kind + 1;
  cells[i].age++;
  cell->age += cells[(i + 1) % n].kind;
  (*cell).alive ^= 1;
  if (own.kind == kRock || KIND(from[i]) == kGrass)
    own.kind = kEmpty, own.next = own.value;
  own.value += sum(from[i]) + from[i].isOld();
  cells[i].grow(3);
  if (i % 8 == 0)
    cells[i] = Cell{1.f, 3, 1, 77, 2.f};
  Cell copy = from[i];
  copy.kind = copy.age % 5;
  if (i % 9 == 0)
    cells[i] = copy;
}

__global__ void route(Packet *packets, Agent *agents, Holder *holders, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Packet &p = packets[i];
  p.flags = p.version + p.hops;
  p.tag[0] += p.flags;
  p.length -= 3;
  --p.hops;
  p.cost = packets[i].target * 0.5f + p.weight;
  packets[i].target = i;
  char *tag = &packets[i].tag[0];
  *tag ^= 1;
  agents[i].x += agents[i].energy();
  Agent agent;
  agent.reset(i);
  if (i % 2)
    agents[i] = agent;
  holders[i].high = holders[i].low;
  holders[i].rest++;
}

int main() {
  const int n = 100;
  static Cell cells[n];
  static Packet packets[n];
  static Agent agents[n];
  static Holder holders[n];
  std::memset(static_cast<void *>(cells), 0xa5, sizeof(cells)); // unused bits are kept
  std::memset(static_cast<void *>(packets), 0x5a, sizeof(packets));
  for (int i = 0; i < n; ++i) {
    cells[i].value = i;
    cells[i].kind = i % 4;
    cells[i].alive = i % 2;
    cells[i].age = 3 * i;
    packets[i].version = i;
    packets[i].hops = i / 3;
    packets[i].weight = cells[i].next = 0;
    agents[i].reset(i);
    holders[i].low = i % 4;
  }
  Cell *d, *from;
  Packet *p;
  Agent *a;
  Holder *h;
  cudaMalloc(&d, sizeof(cells));
  cudaMalloc(&from, sizeof(cells));
  cudaMalloc(&p, sizeof(packets));
  cudaMalloc(&a, sizeof(agents));
  cudaMalloc(&h, sizeof(holders));
  cudaMemcpy(d, cells, n * sizeof(Cell), cudaMemcpyHostToDevice);
  cudaMemcpy(from, d, n * sizeof(Cell), cudaMemcpyDeviceToDevice);
  cudaMemcpy(p, packets, n * sizeof(Packet), cudaMemcpyHostToDevice);
  cudaMemcpy(a, agents, n * sizeof(Agent), cudaMemcpyHostToDevice);
  cudaMemcpy(h, holders, n * sizeof(Holder), cudaMemcpyHostToDevice);
  step<<<(n + 31) / 32, 32>>>(d, from, n);
  route<<<(n + 31) / 32, 32>>>(p, a, h, n);
  cudaMemcpy(cells, d, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  cudaMemcpy(packets, p, n * sizeof(Packet), cudaMemcpyDeviceToHost);
  cudaMemcpy(agents, a, n * sizeof(Agent), cudaMemcpyDeviceToHost);
  cudaMemcpy(holders, h, n * sizeof(Holder), cudaMemcpyDeviceToHost);
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += cells[i].value + cells[i].kind + 3 * cells[i].alive + cells[i].age + packets[i].flags + packets[i].length +
             packets[i].tag[0] + packets[i].hops + packets[i].cost + agents[i].x + agents[i].energy() + holders[i].high;
  std::printf("%.9g\n", total);
  cudaFree(d);
  cudaFree(from);
  cudaFree(p);
  cudaFree(a);
  cudaFree(h);
}
