#pragma once
// Text of made-up words, of which the r-th occurs 1/r times as often as the first (Zipf), for demonstrations.

#include "apps/gen/generator.h"

namespace ontime::apps {

GeneratorKind words_kind();

}  // namespace ontime::apps
