import ctypes
libc = ctypes.CDLL(None)
print('mounted', libc.mount(b'none', b'/tmp', b'tmpfs', 0, None))
