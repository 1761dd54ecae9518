// Packet soa
struct Packet {
  int length;
  float weight;
  unsigned char bytes[0];
};

__global__ void k(Packet *packets) {
  packets[threadIdx.x].weight += packets[threadIdx.x].length;
  packets[threadIdx.x].bytes[-1] ^= 1; // refused: RL-R09
}

int main() {
  Packet *packets;
  cudaMalloc(&packets, 64 * sizeof(Packet));
  k<<<1, 64>>>(packets);
}
