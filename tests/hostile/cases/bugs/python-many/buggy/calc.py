def days(month):
    return 30 + (month + month // 8) % 2


def name(month):
    return "JanFebMarAprMayJunJulAugSepOctNov"[3 * month - 3 : 3 * month]


def mark(a):
    return f"n{a}"
