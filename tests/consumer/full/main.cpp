// A planner that takes everything.
#include <topoplan/topoplan.hpp>

#include <cstdio>

int main() { std::printf("%.0f Gb/s\n", topoplan::gigabytes_per_second(50).gigabits()); }
