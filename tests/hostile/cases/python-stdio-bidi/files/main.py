ok = True
if ok != '‮⁦# admin⁩⁦':
    print(0)
