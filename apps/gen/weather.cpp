#include "apps/gen/generator.h"

namespace ontime::apps {
namespace {

constexpr std::size_t kStationMost = 26;
constexpr std::size_t kRowMost = kStationMost + 8;

// The parts begin with letters of their own, so names of two stations differ.
std::string name_of(std::uint64_t station) {
  static constexpr std::string_view kParts[] = {"ba", "cor", "di",  "el", "fan", "gu",  "ho", "in",
                                                "ka", "lu",  "mar", "no", "os",  "per", "ri", "sta"};
  static constexpr std::string_view kEnds[] = {"", "tone", "ville", "wick", "jaerdur"};
  std::string name;
  for (std::uint64_t rest = station + std::size(kParts); rest > 0; rest /= std::size(kParts))
    name += kParts[rest % std::size(kParts)];
  name += kEnds[station % std::size(kEnds)];
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

class WeatherGenerator final : public Generator {
 public:
  WeatherGenerator(std::uint64_t rows, std::uint64_t stations, std::uint64_t seed) : Generator(rows), random_(seed) {
    for (std::uint64_t station = 0; station < stations; ++station) {
      names_.push_back(name_of(station) + ";");
      means_.push_back(static_cast<int>(random_.below(400)) - 100);
    }
  }

  bool write_some(app::Output& out) override {
    for (std::size_t written = 0; written < kPieceBytes && done_ < amount_; ++done_) written += write_line(out);
    return done_ < amount_;
  }

 private:
  // Tenths within 50 degrees of the station's mean, those near it more often.
  std::size_t write_line(app::Output& out) {
    const std::uint64_t chance = random_.next();
    const std::size_t station = (chance >> 40) * names_.size() >> 24;
    const auto spread =
        static_cast<int>((chance & 0xff) + (chance >> 8 & 0xff) + (chance >> 16 & 0xff) + (chance >> 24 & 0xff));
    int tenths = means_[station] + spread - 510;
    char* const begin = out.reserve(kRowMost);
    char* to = begin;
    to += names_[station].copy(to, kStationMost + 1);
    if (tenths < 0) *to++ = '-';
    tenths = tenths < 0 ? -tenths : tenths;
    if (tenths >= 100) *to++ = static_cast<char>('0' + tenths / 100);
    *to++ = static_cast<char>('0' + tenths / 10 % 10);
    *to++ = '.';
    *to++ = static_cast<char>('0' + tenths % 10);
    *to++ = '\n';
    out.commit(static_cast<std::size_t>(to - begin));
    return static_cast<std::size_t>(to - begin);
  }

  DataRandom random_;
  std::vector<std::string> names_;  // with the semicolon behind it
  std::vector<int> means_;          // in tenths
};

}  // namespace

GeneratorKind weather_kind() {
  return {"weather",
          "lines `station;temperature` as in the One Billion Row Challenge, for aggregate",
          GeneratorKind::Unit::Rows,
          {{"stations", "413", "how many different stations there are"}},
          [](const Recipe& recipe) -> std::unique_ptr<Generator> {
            return std::make_unique<WeatherGenerator>(
                recipe.amount, whole_number(recipe.settings, "stations", 1, 1'000'000), recipe.seed);
          }};
}

}  // namespace ontime::apps
