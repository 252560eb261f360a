#include "common/base/clock_time.h"

#include <array>
#include <chrono>
#include <ctime>
#include <optional>

#include "common/base/units.h"

namespace ontime {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86400;

// Takes `digits` digits off its front; nothing if there are fewer or their number is larger than `most`.
std::optional<int> take(std::string_view& text, std::size_t digits, int most) {
  const auto number = number_in<unsigned>(text.substr(0, digits));
  if (text.size() < digits || !number || *number > static_cast<unsigned>(most)) return std::nullopt;
  text.remove_prefix(digits);
  return static_cast<int>(*number);
}

bool take(std::string_view& text, char sign) {
  if (!text.starts_with(sign)) return false;
  text.remove_prefix(1);
  return true;
}

struct Written {
  std::optional<std::chrono::year_month_day> date;
  std::chrono::seconds time{};               // since midnight
  std::optional<std::chrono::seconds> zone;  // east of Greenwich
};

bool read_date(std::string_view& text, Written& into) {
  const auto year = take(text, 4, 9999);
  const bool has_month = year && take(text, '-');
  const auto month = has_month ? take(text, 2, 12) : std::nullopt;
  const bool has_day = month && take(text, '-');
  const auto day = has_day ? take(text, 2, 31) : std::nullopt;
  if (!day) return false;
  into.date = std::chrono::year(*year) / *month / *day;
  return into.date->ok() && (take(text, 'T') || take(text, ' '));
}

bool read_time(std::string_view& text, Written& into) {
  const auto hour = take(text, 2, 23);
  const bool has_minute = hour && take(text, ':');
  const auto minute = has_minute ? take(text, 2, 59) : std::nullopt;
  if (!minute) return false;
  into.time = std::chrono::hours(*hour) + std::chrono::minutes(*minute);
  if (!take(text, ':')) return true;
  const auto second = take(text, 2, 59);
  if (second) into.time += std::chrono::seconds(*second);
  return second.has_value();
}

bool read_zone(std::string_view& text, Written& into) {
  if (text.empty()) return true;
  if (take(text, 'Z')) {
    into.zone = std::chrono::seconds(0);
    return true;
  }
  const int sign = take(text, '+') ? 1 : take(text, '-') ? -1 : 0;
  const auto hours = sign == 0 ? std::nullopt : take(text, 2, 14);
  if (!hours) return false;
  take(text, ':');
  const auto minutes = text.empty() ? 0 : take(text, 2, 59);
  if (minutes) into.zone = sign * (std::chrono::hours(*hours) + std::chrono::minutes(*minutes));
  return minutes.has_value();
}

std::optional<Written> read(std::string_view text) {
  Written written;
  const bool has_date = text.find('-') == 4;
  if (has_date && !read_date(text, written)) return std::nullopt;
  const bool is_read = read_time(text, written) && read_zone(text, written) && text.empty();
  return is_read ? std::optional(written) : std::nullopt;
}

std::int64_t local_offset(std::int64_t at) {
  const auto instant = static_cast<std::time_t>(at);
  std::tm parts{};
  return localtime_r(&instant, &parts) == nullptr ? 0 : parts.tm_gmtoff;
}

// `wall`: seconds since the epoch of the clock on the wall. The zone's offset is the one before a change of the clocks
// or the one after it.
std::int64_t from_local(std::int64_t wall) {
  const std::int64_t before = wall - local_offset(wall - kDay);
  const std::int64_t after = wall - local_offset(wall + kDay);
  return before + local_offset(before) == wall || after + local_offset(after) != wall ? before : after;
}

std::int64_t instant_of(const Written& written, std::chrono::sys_days day) {
  const std::int64_t wall = std::chrono::seconds(day.time_since_epoch()).count() + written.time.count();
  return written.zone ? wall - written.zone->count() : from_local(wall);
}

}  // namespace

bool looks_like_clock_time(std::string_view text) {
  return text.find(':') != std::string_view::npos || text.find('-') == 4;
}

Result<std::int64_t> parse_clock_time(std::string_view text, std::int64_t now_unix_ns) {
  const auto written = read(text);
  if (!written)
    return bad_input("'" + std::string(text) + "' is not a time; write for instance 06:00 or 2026-12-01T06:00+01:00");
  const std::int64_t now = now_unix_ns / kSecond;
  if (!written->date) {
    const std::int64_t offset = written->zone ? written->zone->count() : local_offset(now);
    auto day = std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(now + offset)));
    if (instant_of(*written, day) <= now) day += std::chrono::days(1);
    return instant_of(*written, day) * kSecond;
  }
  const std::int64_t at = instant_of(*written, *written->date);
  if (at - now > std::chrono::seconds(std::chrono::floor<std::chrono::days>(kDurationMost)).count())
    return bad_input("'" + std::string(text) + "' is too far away; give a time in the next 3650d");
  if (at > now) return at * kSecond;
  return bad_input("'" + std::string(text) + "' has passed, " + format_duration(std::chrono::seconds(now - at)) +
                   " ago; give a later time");
}

std::int64_t now_unix_ns() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string local_time(std::int64_t unix_ns) {
  const auto whole = static_cast<std::time_t>(unix_ns / kSecond);
  std::tm parts{};
  std::array<char, 32> text{};
  if (unix_ns == 0 || localtime_r(&whole, &parts) == nullptr) return "";
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  return text.data();
}

}  // namespace ontime
