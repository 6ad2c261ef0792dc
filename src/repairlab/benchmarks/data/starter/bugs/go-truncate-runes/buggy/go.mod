module example.com/titles

go 1.18
