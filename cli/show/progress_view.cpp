#include "cli/show/progress_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ontime::cli {
namespace {

using namespace std::chrono_literals;

constexpr auto kWindow = 5s;
constexpr auto kBarInterval = 100ms;
constexpr auto kLineInterval = 5s;
constexpr std::size_t kWidthIfUnknown = 80;

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kWidthIfUnknown;
  return size.ws_col;
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

ProgressView::ProgressView(bool quiet)
    : mode_(quiet                   ? Mode::Quiet
            : is_capable_terminal() ? Mode::Bar
                                    : Mode::Lines),
      shown_at_(mode_ == Mode::Bar ? RateMeter::Clock::time_point{} : RateMeter::Clock::now()) {}

void ProgressView::update(ProgressState state) {
  if (mode_ == Mode::Quiet) return;
  const auto now = RateMeter::Clock::now();
  state.bytes_per_second = meter_.update(state.done_bytes, now);
  if (now - shown_at_ < (mode_ == Mode::Bar ? Duration(kBarInterval) : Duration(kLineInterval))) return;
  shown_at_ = now;
  if (mode_ == Mode::Lines) {
    std::fprintf(stderr, "%s\n", progress_text(state).c_str());
    return;
  }
  std::fprintf(stderr, "\r\033[K%s", progress_bar(state, terminal_width() - 1).c_str());
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

}  // namespace ontime::cli
