// R soa
struct R {
  float x, y;
};

void launch(R *p); // refused: RL-R10

int main() {
  R *p;
  cudaMalloc(&p, 64 * sizeof(R));
  launch(p);
}
