// The program that owns the tests' precompiled headers; nobody runs it.
int main() {}
