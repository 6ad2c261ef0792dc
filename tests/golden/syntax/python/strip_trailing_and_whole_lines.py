#!/usr/bin/env python
# -*- coding: utf-8 -*-

x = 1  # one
    # alone, indented
y = "# no comment"  	# two
def f():  # three
    # only
    return 1
    # end
