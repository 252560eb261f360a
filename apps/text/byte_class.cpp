#include "apps/text/byte_class.h"

#include <vector>

namespace ontime::apps {
namespace {

std::vector<InstructionSet> find_instruction_sets() {
  std::vector<InstructionSet> sets = {InstructionSet::Portable, InstructionSet::Simd128};
#ifdef __x86_64__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("popcnt")) {
    return sets;
  }
  sets.push_back(InstructionSet::Avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi") &&
      __builtin_cpu_supports("avx512vbmi2")) {
    sets.push_back(InstructionSet::Avx512);
  }
#endif
  return sets;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  static const std::vector<InstructionSet> sets = find_instruction_sets();
  return sets;
}

InstructionSet best_instruction_set() { return instruction_sets().back(); }

}  // namespace ontime::apps
