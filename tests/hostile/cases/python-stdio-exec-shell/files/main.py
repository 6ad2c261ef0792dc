import os
os.execv('/bin/sh', ['sh', '-c', 'cat /etc/shadow'])
