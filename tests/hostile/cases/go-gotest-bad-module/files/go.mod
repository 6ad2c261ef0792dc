module example.com/calc

go 1.18

require example.com/nowhere v1.0.0
replace example.com/nowhere => ../..
