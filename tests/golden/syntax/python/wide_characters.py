# ﷽ 𝔘𝔫𝔦 é
def größe(名):
    return "😀" + 名
def g():
    return 1
