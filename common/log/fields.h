#pragma once
// How the fields of an event are written, so that people and programs can read them:
//   spdlog::info("attempt_failed {} message={}", attempt_id, log::Quoted{text})
//   attempt_failed job=job-1 task=job-1/t00003 attempt=job-1/t00003/a0 message="a \"b\""
// An id brings those above it along. Text from outside is quoted; names and numbers of our own need not be. Nothing is
// formatted for a level that is off.

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/ids.h"

namespace ontime::log {

struct Quoted {  // in quotes, with \", \\ and \n; any bytes
  std::string_view text;
};

struct ParsedEvent {
  std::string name;
  std::vector<std::pair<std::string, std::string>> fields;  // values without quotes; those of one key joined by commas
  std::string rest;                                         // from the first word on that is no field
};
ParsedEvent parse_event(std::string_view text);

// "job=job-1 task=job-1/t00003 attempt=job-1/t00003/a0".
std::string fields_of(JobId job);
std::string fields_of(TaskId task);
std::string fields_of(AttemptId attempt);
std::string fields_of(NodeId node);
std::string fields_of(Quoted quoted);

template <class T>
struct FieldsFormatter {
  constexpr auto parse(fmt::format_parse_context& context) { return context.begin(); }
  auto format(const T& value, fmt::format_context& context) const {
    return fmt::format_to(context.out(), "{}", fields_of(value));
  }
};

}  // namespace ontime::log

#if FMT_VERSION < 100000  // later ones say so themselves
// Compiled once, in cmake/spdlog.cpp.in, instead of wherever an event is logged.
extern template void fmt::detail::vformat_to<char>(buffer<char>&, string_view, basic_format_args<format_context>,
                                                   locale_ref);
#endif

template <>
struct fmt::formatter<ontime::JobId> : ontime::log::FieldsFormatter<ontime::JobId> {};
template <>
struct fmt::formatter<ontime::TaskId> : ontime::log::FieldsFormatter<ontime::TaskId> {};
template <>
struct fmt::formatter<ontime::AttemptId> : ontime::log::FieldsFormatter<ontime::AttemptId> {};
template <>
struct fmt::formatter<ontime::NodeId> : ontime::log::FieldsFormatter<ontime::NodeId> {};
template <>
struct fmt::formatter<ontime::log::Quoted> : ontime::log::FieldsFormatter<ontime::log::Quoted> {};
