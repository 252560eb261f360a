#include "worker/agent/program.h"

int main(int argc, char** argv) { return ontime::worker::main_of(argc, argv); }
