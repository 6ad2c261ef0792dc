class A {
    @Foo(value = @Bar(1), names = {"x", "y"}) @a.b.Baz
    protected @Nullable String f(@Named("a") String a, @X int @Y [] b) throws @Z E { return a; }
}
