#include <deque>
#include <iostream>
#include <string>
#include <utility>

struct Customer {
    int number;
    std::string name;
};

class Desk {
  public:
    int take(std::string name) {
        const int number = draw();
        waiting_.push_back(Customer{number, std::move(name)});
        return number;
    }

    bool call(Customer& customer) {
        if (waiting_.empty()) {
            return false;
        }
        customer = waiting_.front();
        waiting_.pop_front();
        return true;
    }

    std::size_t waiting() const { return waiting_.size(); }

  private:
    int draw() const { return ++last_number_; }

    std::deque<Customer> waiting_;
    int last_number_ = 0;
};

int main() {
    std::ios::sync_with_stdio(false);
    std::cin.tie(nullptr);
    int q = 0;
    std::cin >> q;
    Desk desk;
    std::string command;
    while (q-- > 0 && std::cin >> command) {
        if (command == "take") {
            std::string name;
            std::cin >> name;
            std::cout << desk.take(name) << '\n';
        } else if (command == "next") {
            Customer customer;
            if (desk.call(customer)) {
                std::cout << customer.number << ' ' << customer.name << '\n';
            } else {
                std::cout << "nobody\n";
            }
        } else {
            std::cout << desk.waiting() << '\n';
        }
    }
    return 0;
}
