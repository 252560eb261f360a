#pragma once
// Tables so small that a few words fill them.

#include "apps/text/word_table.h"

namespace ontime::apps::test {

inline constexpr WordTableLimits kTinyTables = {.short_slots = 8,
                                                .medium_slots = 8,
                                                .long_slots = 8,
                                                .long_text = 100,
                                                .longest = 90,
                                                .probes = 3,
                                                .max_total = 300};

}  // namespace ontime::apps::test
