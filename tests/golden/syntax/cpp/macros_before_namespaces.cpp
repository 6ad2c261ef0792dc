namespace std VISIBILITY(default)
{
BEGIN_NAMESPACE

  template <class T>
    FLATTEN void
    f(T t) NOEXCEPT_IF(is<T>::value)
    { }

END_NAMESPACE
}
