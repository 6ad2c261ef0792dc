open('/usr/bin/x', 'w').write('x')
