#include <fstream>
#include <string>

int main(int, char **argv)
{
    std::ifstream given(argv[1]), output(argv[2]);
    std::string first, second;
    long sum;
    given >> sum;
    output >> first >> second;
    return std::stol(first) + std::stol(second) == sum ? 0 : 1;
}
