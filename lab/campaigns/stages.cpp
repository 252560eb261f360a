#include "lab/campaigns/stages.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "common/base/median.h"

namespace ontime::lab {
namespace {

// Cuts off and returns what is before the next `separator`, or all.
std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

bool read_duration(std::string_view text, double& to) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), to);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(to) && to > 0;
}

}  // namespace

Result<std::vector<Stage>> read_stages(std::string_view text) {
  std::vector<Stage> stages;
  take_until(text, '\n');
  for (std::size_t number = 2; !text.empty(); ++number) {
    std::string_view line = take_until(text, '\n');
    if (line.empty()) continue;
    Stage stage;
    stage.name = take_until(line, ',');
    while (!line.empty()) {
      double duration = 0;
      if (!read_duration(take_until(line, ' '), duration)) {
        return bad_input("line " + std::to_string(number) + ": durations are positive numbers with spaces between");
      }
      stage.durations.push_back(duration);
    }
    if (stage.durations.empty()) return bad_input("line " + std::to_string(number) + ": a stage has durations");
    stage.median = median_of(stage.durations);
    stages.push_back(std::move(stage));
  }
  return stages;
}

std::vector<Stage> choose_stages(const std::vector<Stage>& stages, const StageChoice& choice) {
  std::vector<Stage> chosen;
  for (const Stage& stage : stages) {
    if (stage.median < choice.median_min || stage.durations.size() < choice.tasks_min) continue;
    Stage like = stage;
    like.durations.resize(std::min(like.durations.size(), choice.tasks_max));
    const double stretch = choice.median / median_of(like.durations);
    for (double& duration : like.durations) duration *= stretch;
    chosen.push_back(std::move(like));
  }
  return chosen;
}

}  // namespace ontime::lab
