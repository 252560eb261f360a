#include <charconv>

#include "apps/gen/generator.h"

namespace ontime::apps {
namespace {

constexpr std::size_t kLineMost = 2 * 20 + 2;

class PairGenerator final : public Generator {
 public:
  PairGenerator(std::uint64_t rows, std::uint64_t groups, std::uint64_t seed)
      : Generator(rows), random_(seed), groups_(groups) {}

  bool write_some(app::Output& out) override {
    for (std::size_t written = 0; written < kPieceBytes && done_ < amount_; ++done_) written += write_line(out);
    return done_ < amount_;
  }

 private:
  // Lefts around zero, rights all over the signed numbers of 32 bits.
  std::size_t write_line(app::Output& out) {
    const auto left = static_cast<std::int64_t>(random_.below(groups_)) - static_cast<std::int64_t>(groups_ / 2);
    const auto right = static_cast<std::int32_t>(random_.next() >> 32);
    char* const begin = out.reserve(kLineMost);
    char* to = std::to_chars(begin, begin + 20, left).ptr;
    *to++ = '\t';
    to = std::to_chars(to, to + 20, right).ptr;
    *to++ = '\n';
    const auto size = static_cast<std::size_t>(to - begin);
    out.commit(size);
    return size;
  }

  DataRandom random_;
  std::uint64_t groups_;
};

}  // namespace

GeneratorKind pairs_kind() {
  return {"pairs",
          "lines of two whole numbers with a tab between them, for secondarysort",
          GeneratorKind::Unit::Rows,
          {{"groups", "1000", "how many different left numbers there are"}},
          [](const Recipe& recipe) -> std::unique_ptr<Generator> {
            return std::make_unique<PairGenerator>(
                recipe.amount, whole_number(recipe.settings, "groups", 1, std::uint64_t{1} << 32), recipe.seed);
          }};
}

}  // namespace ontime::apps
