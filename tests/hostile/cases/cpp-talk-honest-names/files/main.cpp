#include <fstream>
#include <string>

int main()
{
    std::ifstream in("/dev/stdin");
    std::ofstream out("/dev/stdout");
    int low = 1, high = 1000;
    std::string answer;
    while (answer != "right") {
        int guess = (low + high) / 2;
        out << guess << std::endl;
        if (!(in >> answer))
            return 1;
        (answer == "higher" ? low : high) = answer == "higher" ? guess + 1 : guess - 1;
    }
}
