#include <iostream>

int main()
{
    long sum = 1, number, count = 0;
    while (std::cin >> number) {
        sum += number;
        count++;
    }
    std::cout << sum << "\n" << count << "\n";
}
