import os
print(os.listdir('/root'), os.listdir('/var'))
