#include <iostream>
#include <string>

int main()
{
    int low = 1, high = 1000;
    std::string answer;
    while (answer != "right") {
        int guess = low;
        std::cout << guess << std::endl;
        if (!(std::cin >> answer))
            return 1;
        (answer == "higher" ? low : high) = answer == "higher" ? guess + 1 : guess - 1;
    }
}
