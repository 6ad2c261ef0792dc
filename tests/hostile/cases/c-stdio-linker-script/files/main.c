INPUT(/etc/shadow)
