    // before
    int f() { // x
        return 1;
    }
