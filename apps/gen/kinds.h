#pragma once
// The kinds of data that `ontime gen` makes, except for TeraSort's (teragen.h).

#include "apps/gen/generator.h"

namespace ontime::apps {

// Pairs of whole numbers, `left<TAB>right`, for `secondarysort`.
GeneratorKind pairs_kind();

// Movies and who has rated them how, `movie:user_rating,user_rating,...`, for `kmeans` and `classification`. Movies are
// of a genre and users like some genres better than others, so there is something to find.
GeneratorKind ratings_kind();

// Text of made-up words, of which the r-th occurs 1/r times as often as the first (Zipf), for demonstrations.
GeneratorKind words_kind();

}  // namespace ontime::apps
