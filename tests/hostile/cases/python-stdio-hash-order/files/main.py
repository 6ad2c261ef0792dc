print(*{f'{number}th' for number in range(9)})
