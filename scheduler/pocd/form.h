#pragma once
// Where a paper misprints a formula both readings exist. Corrected is what the formula means (and the default
// everywhere); AsPrinted is the letter of the paper, kept only to reproduce its numbers.

namespace ontime::scheduler::pocd {

enum class Form { Corrected, AsPrinted };

}  // namespace ontime::scheduler::pocd
