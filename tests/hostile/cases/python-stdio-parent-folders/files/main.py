import os
print(open('../../../../../../root/.bashrc').read())
