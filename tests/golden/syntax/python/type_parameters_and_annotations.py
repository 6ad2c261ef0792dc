def first[T: (int, str)](items: list[T], key: Callable[[T], int] = lambda t: 1) -> dict[str, T]:
    return {}
