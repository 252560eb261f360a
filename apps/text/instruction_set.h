#pragma once
// Which variant of the hot loops runs. All variants give the same results; tests compare them.

namespace ontime::apps {

enum class InstructionSet {
  Portable,
  Avx2,  // with BMI1, BMI2 and POPCNT, as every machine with AVX2 has them
};

// What this machine can do, looked up once.
InstructionSet best_instruction_set();

}  // namespace ontime::apps
