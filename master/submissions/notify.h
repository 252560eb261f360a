#pragma once
// What a job asks to be told, as people write it: WHEN:WHAT. Pure.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/files/roots.h"
#include "scheduler/core/job.h"

namespace ontime::master {

inline constexpr std::size_t kNoticesMax = 16;  // of a job
inline constexpr std::size_t kNoticeBytesMax = 4096;

struct Notify {
  enum class When : std::uint8_t {
    Pocd,    // the job will probably miss its deadline: PoCD is below `below`
    Late,    // its deadline has passed
    Missed,  // it ended after that
    Failed,
    Ended,
    Stuck,  // nothing of it moves
  };
  When when = When::Ended;
  double below = 0;
  std::string condition;  // as written: "pocd<0.5"
  std::string what;       // a command for /bin/sh, or a URL
  bool is_url = false;

  bool needs_deadline() const { return when == When::Pocd || when == When::Late || when == When::Missed; }
  // As people see it who may look at the job: of a URL only the server, since the path is a password of many services.
  std::string shown() const;
};

// BadInput, with one sentence, for what is none.
Result<Notify> read_notify(const std::string& text);
bool is_command_notice(const std::string& text);

// Those of the request, or else the master's own.
struct NoticeRules {
  std::vector<std::string> otherwise{};
  files::Roots roots{};  // where a request's URLs have to lie
};
Status choose_notices(scheduler::JobSpec& spec, const NoticeRules& rules);

// What the state of the job alone decides: of a job that runs, whether it is late.
bool holds(const Notify& notify, const scheduler::Job& job, TimePoint now);

}  // namespace ontime::master
