class Stack {
    int n{0};
  public:
    Stack() = default;
    Stack(const Stack &) = delete;
    Stack(int n) noexcept : Base<int>{n}, n{n}, list({1}) { if (n) { } }
    virtual ~Stack() { }
    virtual void pure() = 0;
    void over() const override final { }
    EXPORT Stack(char c) { }
};
Stack::Stack(long n)
    : Stack(int(n))
{
}
a::Stack::~Stack() { }
