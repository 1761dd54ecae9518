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
#include "cell_layout.h"

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
#include "packet_layout.h"

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
#include "agent_layout.h"

struct Holder {
  struct { signed char low : 3, high : 4; };
  short rest;
};
#include "holder_layout.h"

#define KIND(cell) (cell).kind

__device__ unsigned sum(const Cell &a) { return a.kind + a.age; }

__global__ void step(CellView cells, ConstCellView from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  CellView cell = cells + i;
  CellView own = cells + i;
  cells.kind_alive_age(i).kind = from.kind_alive_age(i).kind + 1;
  cells.kind_alive_age(i).age++;
  cell.kind_alive_age().age += cells.kind_alive_age((i + 1) % n).kind;
  (cell.kind_alive_age()).alive ^= 1;
  if (own.kind_alive_age().kind == kRock || KIND(from.load(i)) == kGrass)
    own.kind_alive_age().kind = kEmpty, own.next() = own.value();
  own.value() += sum(from.load(i)) + from.load(i).isOld();
  {
    Cell element = cells.load(i);
    element.grow(3);
    cells.value(i) = element.value;
    cells.kind_alive_age(i).age = element.age;
  }
  if (i % 8 == 0)
    cells.store(i, Cell{1.f, 3, 1, 77, 2.f});
  Cell copy = from.load(i);
  copy.kind = copy.age % 5;
  if (i % 9 == 0)
    cells.store(i, copy);
}

__global__ void route(PacketView packets, AgentView agents, HolderView holders, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  PacketView p = packets + i;
  p.tag_flags_hops().flags = p.version_length().version + p.tag_flags_hops().hops;
  p.tag_flags_hops().tag[0] += p.tag_flags_hops().flags;
  p.version_length().length -= 3;
  --p.tag_flags_hops().hops;
  p.cost() = packets.weight_target(i).target * 0.5f + p.weight_target().weight;
  packets.weight_target(i).target = i;
  char *tag = &packets.tag_flags_hops(i).tag[0];
  *tag ^= 1;
  agents.x(i) += agents.load(i).energy();
  Agent agent;
  agent.reset(i);
  if (i % 2)
    agents.store(i, agent);
  holders.low_high(i).high = holders.low_high(i).low;
  holders.rest(i)++;
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
  CellView d, from;
  PacketView p;
  AgentView a;
  HolderView h;
  cellMalloc(&d, sizeof(cells));
  cellMalloc(&from, sizeof(cells));
  packetMalloc(&p, sizeof(packets));
  agentMalloc(&a, sizeof(agents));
  holderMalloc(&h, sizeof(holders));
  cellMemcpy(d, cells, n * sizeof(Cell), cudaMemcpyHostToDevice);
  cellMemcpy(from, d, n * sizeof(Cell), cudaMemcpyDeviceToDevice);
  packetMemcpy(p, packets, n * sizeof(Packet), cudaMemcpyHostToDevice);
  agentMemcpy(a, agents, n * sizeof(Agent), cudaMemcpyHostToDevice);
  holderMemcpy(h, holders, n * sizeof(Holder), cudaMemcpyHostToDevice);
  step<<<(n + 31) / 32, 32>>>(d, from, n);
  route<<<(n + 31) / 32, 32>>>(p, a, h, n);
  cellMemcpy(cells, d, n * sizeof(Cell), cudaMemcpyDeviceToHost);
  packetMemcpy(packets, p, n * sizeof(Packet), cudaMemcpyDeviceToHost);
  agentMemcpy(agents, a, n * sizeof(Agent), cudaMemcpyDeviceToHost);
  holderMemcpy(holders, h, n * sizeof(Holder), cudaMemcpyDeviceToHost);
  double total = 0;
  for (int i = 0; i < n; ++i)
    total += cells[i].value + cells[i].kind + 3 * cells[i].alive + cells[i].age + packets[i].flags + packets[i].length +
             packets[i].tag[0] + packets[i].hops + packets[i].cost + agents[i].x + agents[i].energy() + holders[i].high;
  std::printf("%.9g\n", total);
  cellFree(d);
  cellFree(from);
  packetFree(p);
  agentFree(a);
  holderFree(h);
}
