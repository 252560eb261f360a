#include "master/submissions/notify.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "common/base/wording.h"
#include "common/http/url.h"
#include "master/base/text.h"

namespace ontime::master {
namespace {

constexpr std::string_view kPocd = "pocd<";

constexpr std::pair<const char*, Notify::When> kConditions[] = {{"late", Notify::When::Late},
                                                                {"missed", Notify::When::Missed},
                                                                {"failed", Notify::When::Failed},
                                                                {"ended", Notify::When::Ended},
                                                                {"stuck", Notify::When::Stuck}};

bool read_condition(std::string_view text, Notify& notify) {
  if (text.starts_with(kPocd)) {
    text.remove_prefix(kPocd.size());
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), notify.below);
    notify.when = Notify::When::Pocd;
    return problem == std::errc() && end == text.data() + text.size() && notify.below > 0 && notify.below < 1;
  }
  for (const auto& [name, when] : kConditions) {
    notify.when = when;
    if (text == name) return true;
  }
  return false;
}

Error wrong(const std::string& text, const std::string& why) {
  return bad_input("The notice '" + readable(text.substr(0, 100)) + "' " + why);
}

// One of another kind, such as ftp://HOST, is no command either.
bool is_address(std::string_view what) {
  const std::string_view scheme = what.substr(0, std::min(what.find("://"), what.size()));
  return scheme.size() < what.size() && !scheme.empty() && what.find(' ') == what.npos &&
         std::ranges::all_of(scheme,
                             [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '.' || c == '-'; });
}

// One that is killed for it ends on the very moment.
bool is_past_deadline(const scheduler::Job& job, TimePoint now) {
  const bool is_killed_then = job.state == scheduler::JobState::Killed && job.spec.deadline > Duration::zero() &&
                              job.ended_at == job.submitted_at + job.spec.deadline;
  return job.missed_deadline(now) || is_killed_then;
}

}  // namespace

std::string Notify::shown() const {
  if (!is_url) return what;
  const auto url = http::parse_url(what);
  return url->origin + (url->target == "/" ? "/" : "/...");
}

Result<Notify> read_notify(const std::string& text) {
  const std::size_t colon = text.find(':');
  Notify notify;
  if (text.size() > kNoticeBytesMax)
    return wrong(text, "has " + counted(text.size(), "byte") + ", and may have " + std::to_string(kNoticeBytesMax) +
                           "; put a long command into a script.");
  if (colon == text.npos || !read_condition(std::string_view(text).substr(0, colon), notify))
    return wrong(text,
                 "is not WHEN:WHAT, where WHEN is pocd<NUMBER with a number between 0 and 1, late, missed, failed, "
                 "ended or stuck.");
  notify.condition = text.substr(0, colon);
  notify.what = text.substr(colon + 1);
  notify.is_url = is_address(notify.what);
  if (notify.what.find_first_not_of(" \t\n") == std::string::npos || notify.what.find('\0') != std::string::npos)
    return wrong(text, "says nothing to do: give a command or a URL behind the colon.");
  if (!notify.is_url) return notify;
  if (const auto url = http::parse_url(notify.what); !url)
    return wrong(text, "has no good URL: " + url.error().message);
  return notify;
}

bool is_command_notice(const std::string& text) {
  const Result<Notify> notify = read_notify(text);
  return notify && !notify->is_url;
}

Status choose_notices(scheduler::JobSpec& spec, const NoticeRules& rules) {
  if (spec.notify.empty()) {
    spec.notify = rules.otherwise;
    return {};
  }
  if (spec.notify.size() > kNoticesMax)
    return bad_input("The job asks for " + counted(spec.notify.size(), "notice") + ", and may ask for " +
                     std::to_string(kNoticesMax) + ".");
  for (const std::string& text : spec.notify) {
    const Result<Notify> notify = read_notify(text);
    if (!notify) return notify.error();
    if (notify->needs_deadline() && spec.deadline == Duration::zero())
      return wrong(text, "needs a deadline: give the job one.");
    if (notify->is_url && !rules.roots.are_everywhere() && !rules.roots.hold(notify->what))
      return wrong(text, "goes outside of " + rules.roots.text() +
                             ", where jobs may read; the master's operator can add its address as an --input-root.");
  }
  return {};
}

bool holds(const Notify& notify, const scheduler::Job& job, TimePoint now) {
  const bool has_ended = scheduler::is_final(job.state);
  switch (notify.when) {
    case Notify::When::Late:
      return is_past_deadline(job, now);
    case Notify::When::Missed:
      return has_ended && is_past_deadline(job, now);
    case Notify::When::Failed:
      // What fails in Hadoop is ended in the scheduler, like what is killed there.
      return job.state == scheduler::JobState::Failed || (job.spec.advised && job.state == scheduler::JobState::Killed);
    case Notify::When::Ended:
      return has_ended;
    case Notify::When::Pocd:
    case Notify::When::Stuck:
      break;
  }
  return false;
}

}  // namespace ontime::master
