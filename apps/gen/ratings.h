#pragma once
// Movies and who has rated them how, `movie:user_rating,user_rating,...`, for `kmeans` and `classification`. Movies are
// of a genre and users like some genres better than others, so there is something to find.

#include "apps/gen/generator.h"

namespace ontime::apps {

GeneratorKind ratings_kind();

}  // namespace ontime::apps
