#include <thread>
#include <chrono>
#include <vector>
int main() { std::vector<std::thread> kept; while (true) kept.emplace_back([] { std::this_thread::sleep_for(std::chrono::hours(1)); }); }
