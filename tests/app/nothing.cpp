// A shared object that is no application.
extern "C" __attribute__((visibility("default"))) int something_else() { return 1; }
