#include "cli/show/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "cli/show/job_text.h"
#include "cli/show/table.h"
#include "common/base/terminal.h"
#include "common/base/units.h"
#include "common/base/wording.h"

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kWindow = 5s;
constexpr auto kSteadiness = 3s;  // after so long 63 % of a forecast's change are shown
constexpr auto kBarInterval = 100ms;
constexpr auto kLineInterval = 5s;
constexpr std::size_t kWidthIfUnknown = 80;

std::size_t width_of_terminal() {
  const std::size_t width = terminal_width(STDERR_FILENO);
  return width == 0 ? kWidthIfUnknown : width;
}

bool is_capable_terminal() {
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) == 1 && terminal != nullptr && std::strcmp(terminal, "dumb") != 0;
}

}  // namespace

double RateMeter::update(std::uint64_t done_bytes, Clock::time_point now) {
  if (!samples_.empty() && done_bytes < samples_.back().done_bytes) samples_.clear();  // an attempt died
  samples_.push_back({now, done_bytes});
  while (samples_.size() > 2 && now - samples_.front().at > kWindow) samples_.pop_front();
  const double span = seconds(now - samples_.front().at);
  if (span < 0.05) return 0;
  return static_cast<double>(done_bytes - samples_.front().done_bytes) / span;
}

Duration SteadyEnd::update(Duration left, Clock::time_point now) {
  const Clock::time_point forecast = now + std::chrono::duration_cast<Clock::duration>(left);
  if (!end_) {
    end_ = forecast;
  } else {
    const double weight = 1 - std::exp(-seconds(now - updated_at_) / seconds(kSteadiness));
    *end_ += std::chrono::duration_cast<Clock::duration>(from_seconds(weight * seconds(forecast - *end_)));
  }
  updated_at_ = now;
  // A forecast that goes away as time passes is never caught up with.
  return std::max(left / 2, Duration(*end_ - now));
}

ProgressState SteadyProgress::of(ProgressState state, RateMeter::Clock::time_point now) {
  state.bytes_per_second = meter_.update(state.done_bytes, now);
  const bool is_forecast = state.expected_left.has_value();
  // PoCD is by the forecast, so the time left is too from the first one on.
  if (is_forecast && !std::exchange(has_forecast_, true)) end_ = {};
  if (const auto left = time_left(state)) state.expected_left = end_.update(*left, now);
  return state;
}

ProgressView::ProgressView(bool quiet)
    : mode_(quiet                   ? Mode::Quiet
            : is_capable_terminal() ? Mode::Bar
                                    : Mode::Lines),
      shown_at_(mode_ == Mode::Bar ? RateMeter::Clock::time_point{} : RateMeter::Clock::now()) {}

void ProgressView::update(ProgressState state) {
  if (mode_ == Mode::Quiet) return;
  const auto now = RateMeter::Clock::now();
  state = steady_.of(std::move(state), now);
  if (now - shown_at_ < (mode_ == Mode::Bar ? Duration(kBarInterval) : Duration(kLineInterval))) return;
  shown_at_ = now;
  if (mode_ == Mode::Lines) {
    std::fprintf(stderr, "%s\n", progress_text(state).c_str());
    return;
  }
  std::fprintf(stderr, "\r\033[K%s", progress_bar(state, width_of_terminal() - 1, colours_of(STDERR_FILENO)).c_str());
  std::fflush(stderr);
  bar_is_shown_ = true;
}

void ProgressView::say(const std::string& line) {
  if (mode_ == Mode::Quiet) return;
  clear();
  std::fprintf(stderr, "%s\n", line.c_str());
}

void ProgressView::clear() {
  if (!bar_is_shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  bar_is_shown_ = false;
}

namespace {

constexpr auto kShortest = 50ms;  // that is not written as 0.0 s, which would say that it has ended
constexpr std::size_t kBarLeast = 8;
constexpr std::size_t kBarMost = 40;

std::string percent(const ProgressState& state) {
  return fmt::format("{:3}%", static_cast<int>(fraction_done(state) * 100));
}

// "220.1/512.0 MiB": one unit for both.
std::string amount(const ProgressState& state) {
  static constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  const auto largest = std::max(state.done_bytes, state.total_bytes);
  std::size_t unit = 0;
  double scale = 1;
  while (unit + 1 < kUnits.size() && static_cast<double>(largest) / scale >= 1024) {
    scale *= 1024;
    ++unit;
  }
  const int digits = unit == 0 ? 0 : 1;
  return fmt::format("{:.{}f}/{:.{}f} {}", static_cast<double>(state.done_bytes) / scale, digits,
                     static_cast<double>(state.total_bytes) / scale, digits, kUnits[unit]);
}

std::string rate(const ProgressState& state) {
  return format_size(static_cast<std::uint64_t>(state.bytes_per_second)) + "/s";
}

std::string deadline(Duration left) {
  return left.count() >= 0 ? "left " + short_duration(left) : "late " + short_duration(-left);
}

// A part of the line. Phrases with a larger rank are left out first.
struct Phrase {
  std::string text;
  int rank;
  Colour colour = Colour::None;
};

Colour colour_of_deadline(const ProgressState& state) {
  if (!state.deadline_left) return Colour::None;
  const auto left = time_left(state);
  if (state.deadline_left->count() < 0 || (left && *left > *state.deadline_left)) return Colour::Red;
  return state.pocd && *state.pocd < kPocdAtRisk ? Colour::Yellow : Colour::None;
}

std::vector<Phrase> phrases_of(const ProgressState& state) {
  const Colour colour = colour_of_deadline(state);
  std::vector<Phrase> phrases{{percent(state), 0}};
  if (state.total_bytes > 0) phrases.push_back({amount(state), 4});
  if (state.bytes_per_second > 0) phrases.push_back({rate(state), 6});
  if (state.tasks > 0)
    phrases.push_back({"tasks " + std::to_string(state.tasks_done) + "/" + std::to_string(state.tasks), 1});
  if (const auto left = time_left(state); left && *left >= kShortest)
    phrases.push_back({"ETA " + short_duration(*left), 5, colour});
  if (state.deadline_left) phrases.push_back({deadline(*state.deadline_left), 2, colour});
  if (state.pocd) phrases.push_back({"PoCD " + pocd_text(*state.pocd), 3, colour});
  if (state.copies_running > 0) phrases.push_back({counted(state.copies_running, "copy", "copies"), 7});
  if (state.attempts_failed > 0) phrases.push_back({std::to_string(state.attempts_failed) + " failed", 8});
  if (!state.note.empty()) phrases.push_back({printable(state.note), 9});
  return phrases;
}

std::string joined(const std::vector<Phrase>& phrases, Colours colours = Colours::No) {
  std::string text;
  for (const auto& phrase : phrases)
    text += (text.empty() ? "" : "  ") + (colours == Colours::Yes ? painted(phrase.text, phrase.colour) : phrase.text);
  return text;
}

void leave_out_least(std::vector<Phrase>& phrases) {
  phrases.erase(std::max_element(phrases.begin(), phrases.end(),
                                 [](const Phrase& a, const Phrase& b) { return a.rank < b.rank; }));
}

std::string bar(double fraction, std::size_t room) {
  const auto filled = static_cast<std::size_t>(fraction * static_cast<double>(room));
  std::string text(filled, '=');
  if (filled < room) text += '>';
  text.resize(room, ' ');
  return "[" + text + "]";
}

}  // namespace

double fraction_done(const ProgressState& state) {
  if (state.tasks > 0 && state.tasks_done >= state.tasks) return 1;
  if (state.total_bytes == 0) return 0;
  const double fraction = static_cast<double>(state.done_bytes) / static_cast<double>(state.total_bytes);
  return state.tasks > 0 ? std::min(fraction, 0.99) : std::min(fraction, 1.0);
}

std::optional<Duration> time_left(const ProgressState& state) {
  if (state.expected_left) return state.expected_left;
  if (state.bytes_per_second < 1 || state.done_bytes >= state.total_bytes || state.done_bytes == 0) return {};
  const double left = static_cast<double>(state.total_bytes - state.done_bytes) / state.bytes_per_second;
  if (left > 359'999) return {};  // "100 hours" says no more than nothing
  return from_seconds(left);
}

std::string progress_bar(const ProgressState& state, std::size_t width, Colours colours) {
  auto phrases = phrases_of(state);
  const auto brackets_and_gap = std::size_t{4};
  while (phrases.size() > 1 && display_width(joined(phrases)) + kBarLeast + brackets_and_gap > width)
    leave_out_least(phrases);
  const auto text_width = display_width(joined(phrases));
  auto text = joined(phrases, colours);
  if (text_width > width) return "";
  if (text_width + kBarLeast + brackets_and_gap > width) return text;
  const auto room = std::min(kBarMost, width - text_width - brackets_and_gap);
  return bar(fraction_done(state), room) + "  " + text;
}

std::string progress_text(const ProgressState& state) { return joined(phrases_of(state)); }

std::string short_duration(Duration duration) {
  const double s = seconds(duration);
  if (s < 9.95) return fmt::format("{:.1f} s", s);
  return s < 60 ? fmt::format("{} s", static_cast<long long>(s)) : format_duration(duration);
}

}  // namespace ontime::cli
