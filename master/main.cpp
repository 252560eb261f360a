#include "master/policies/own_policies.h"
#include "master/program.h"

int main(int argc, char** argv) {
  ontime::master::allow_own_policies(ontime::master::kLookMost);
  return ontime::master::main_of(argc, argv);
}
