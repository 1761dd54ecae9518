#pragma once

struct Drop {
  float x, y, speed, mass;
};
