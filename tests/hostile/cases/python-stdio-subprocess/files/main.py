import subprocess
print(subprocess.check_output(['sh', '-c', 'cat /etc/shadow']))
