import ctypes
import os
libc = ctypes.CDLL(None)
print('traced', libc.ptrace(16, os.getppid(), 0, 0))
