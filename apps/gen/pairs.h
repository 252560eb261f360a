#pragma once
// Pairs of whole numbers, `left<TAB>right`, for `secondarysort`.

#include "apps/gen/generator.h"

namespace ontime::apps {

GeneratorKind pairs_kind();

}  // namespace ontime::apps
