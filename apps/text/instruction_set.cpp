#include "apps/text/instruction_set.h"

namespace ontime::apps {
namespace {

InstructionSet look_up() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("popcnt")) {
    return InstructionSet::Avx2;
  }
#endif
  return InstructionSet::Portable;
}

}  // namespace

InstructionSet best_instruction_set() {
  static const InstructionSet best = look_up();
  return best;
}

}  // namespace ontime::apps
