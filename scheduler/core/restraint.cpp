#include "scheduler/core/restraint.h"

#include <algorithm>
#include <cmath>

namespace ontime::scheduler {
namespace {

constexpr std::uint32_t kPromisesOver = 3;  // before anything is said of them
constexpr double kShareKept = 0.25;         // of what they promised

bool is_sealed(const Ledger& ledger, ByteRange range) {
  bool is_open = false;
  ledger.for_each_open_from_back([&](const Segment& segment) {
    is_open = is_open || (segment.range.begin < range.end && range.begin < segment.range.end);
  });
  return !is_open;
}

}  // namespace

std::optional<Reason> Restraint::refusal(const Speculate& decision, const Worth& worth, double work) const {
  const bool is_race = std::holds_alternative<WholeSegment>(decision.work);
  if (worth.is_worth && is_regretted_ && !is_race) return Reason::NothingGained;
  return refusal(worth, work);
}

std::optional<Reason> Restraint::refusal(const Worth& worth, double work) const {
  if (!worth.is_worth) return Reason::NotWorthIt;
  const double price = std::max(0.0, worth.price);
  if (work > 0 && price > 0 && spent_ + price > kSpend * work) return Reason::BudgetSpent;
  return std::nullopt;
}

void Restraint::spend(const Worth& worth) {
  if (worth.is_binding) spent_ += std::max(0.0, worth.price);
}

void Restraint::promise(const Speculate& decision, const Worth& worth, ByteRange segment) {
  spend(worth);
  const bool changes_segment = !std::holds_alternative<WholeSegment>(decision.work);  // a race leaves it as it is
  if (changes_segment && worth.gain() > 0 && std::isfinite(worth.gain()))
    open_.push_back({decision.task.index, segment, worth.without, worth.gain(), worth.is_binding});
}

bool Restraint::on_sealed(std::uint32_t task, ByteRange sealed, const Ledger& ledger, double now) {
  const bool was_promised = std::ranges::any_of(open_, [&](const Promise& promise) {
    return promise.task == task && promise.range.begin < sealed.end && sealed.begin < promise.range.end;
  });
  if (!was_promised) others_ = now;
  std::erase_if(open_, [&](const Promise& promise) {
    if (promise.task != task || !is_sealed(ledger, promise.range)) return false;
    without_ = std::max(without_, promise.without);
    if (!promise.is_binding) return true;
    promised_ += promise.gain;
    gained_ += promise.without - now;
    ++over_;
    return true;
  });
  if (is_regretted_ || over_ < kPromisesOver || gained_ >= kShareKept * promised_) return false;
  is_regretted_ = true;
  return true;
}

std::optional<double> Restraint::slower_by(double now) const {
  constexpr double kShareLeast = 0.1;
  constexpr double kLeast = 1;  // seconds
  const double slower = now - std::max(without_, others_);
  const bool is_told = without_ > 0 && slower > std::max(kLeast, kShareLeast * now);
  return is_told ? std::optional(slower) : std::nullopt;
}

}  // namespace ontime::scheduler
