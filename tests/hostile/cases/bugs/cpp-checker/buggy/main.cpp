#include <iostream>

int main()
{
    long number;
    std::cin >> number;
    std::cout << number << " " << 1 << "\n";
}
