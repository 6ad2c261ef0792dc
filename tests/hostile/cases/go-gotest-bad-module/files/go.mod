modul example.com/calc
