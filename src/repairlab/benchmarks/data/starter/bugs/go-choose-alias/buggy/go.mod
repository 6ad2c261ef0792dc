module example.com/teams

go 1.18
