#include "lab/verbs/foresight_text.h"

namespace ontime::lab {

nlohmann::ordered_json tail_json(const scheduler::math::FittedTail& tail) {
  nlohmann::ordered_json json = {{"kind", name_of(tail.kind())}, {"median_seconds", tail.median()}};
  switch (tail.kind()) {
    case scheduler::math::TailKind::Pareto:
      json["t_min_seconds"] = tail.first();
      json["beta"] = tail.second();
      break;
    case scheduler::math::TailKind::Lognormal:
      json["sigma"] = tail.second();
      break;
    case scheduler::math::TailKind::Empirical:
      json["ninth_decile_seconds"] = tail.first();
      json["slope"] = tail.second();
  }
  return json;
}

}  // namespace ontime::lab
