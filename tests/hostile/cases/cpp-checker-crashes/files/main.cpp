#include <iostream>

int main()
{
    std::cout << "99999999999999999999999 0\n";
}
