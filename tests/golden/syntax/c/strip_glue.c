int a = b+/* */+c; int d = e/**//f; return/**/1; f(/* x */); g(a /* y */, b);
