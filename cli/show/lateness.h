#pragma once
// How a job stands against its deadline, and when it is expected to end. Pure.

#include <cstdint>
#include <optional>
#include <string>

#include "cli/show/table.h"
#include "common/base/clock_time.h"
#include "common/protocol/client.pb.h"

namespace ontime::cli {

// Of a job that runs as its forecast has it; a job that ended without a result is late.
enum class Lateness { NoDeadline, Met, InTime, AtRisk, Late };
// At risk: it is more likely to be late than not.
inline constexpr double kPocdAtRisk = 0.5;

Lateness lateness_of(const wire::JobSummary& job);
const char* name_of(Lateness lateness);  // "in time"; of a job without a deadline, "none"
// What --late lists: late already, or likely to be.
bool is_late(const wire::JobSummary& job);
Colour colour_of(Lateness lateness);

// Only for a job that has ended. A job without a result has missed it.
bool missed_its_deadline(const wire::JobSummary& job);

// "met 14.40 s early", "LATE 15.70 s", "left 26.00 s, PoCD 0.060"; empty: no deadline.
std::string lateness_text(const wire::JobSummary& job);
// "1m 30s, met with 14.40 s to spare"; empty: no deadline.
std::string deadline_text(const wire::JobSummary& job);
// "done in 26.00 s, at 27.12 s, 2026-12-01 06:00:00 (between ...)"; empty: no forecast.
std::string expected_text(const wire::JobSummary& job);
std::string pocd_text(double pocd);  // "0.973", "above 0.999", "1"

// Clock times; none: no deadline, or nothing can be said.
std::optional<std::int64_t> due_unix_ns(const wire::JobSummary& job);
std::optional<std::int64_t> expected_end_unix_ns(const wire::JobSummary& job);

// What would have helped a job that was late, as far as its account tells; empty: it was not late, or nothing is known.
// `slots`: of the cluster; 0: not known.
std::string late_hint(const wire::Reply::Job& job, std::uint32_t slots);

}  // namespace ontime::cli
