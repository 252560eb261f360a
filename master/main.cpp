#include "master/program.h"

int main(int argc, char** argv) { return ontime::master::main_of(argc, argv); }
