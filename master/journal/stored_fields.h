#pragma once
// How records of the journal, reports of workers, and events of a recording (master/recording) become protobuf messages
// and are read back. ONTIME_FIELDS names the members of a type once for both ways: its message has fields of the same
// names, or with _ns behind the name of a duration. Only codecs include this.

#include <algorithm>
#include <boost/preprocessor/seq/for_each.hpp>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/base/result.h"
#include "common/protocol/convert.h"
#include "master/journal/records.pb.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"

namespace ontime::journal {

void put(const scheduler::JournalRecord& from, stored::Record* to);
Result<scheduler::JournalRecord> read_record(const stored::Record& message);

// ---- to messages ----

// What a field holds that is no message itself. Durations: nanoseconds.
template <class T>
  requires std::is_arithmetic_v<T>
T plain(T value) {
  return value;
}
template <class T>
  requires std::is_enum_v<T>
std::uint32_t plain(T value) {
  return static_cast<std::uint32_t>(value);
}
inline wire::Codec plain(Codec value) { return protocol::to_wire(value); }
inline const std::string& plain(const std::string& value) { return value; }
inline std::int64_t plain(const Duration& value) { return value.count(); }
template <class Tag>
std::uint32_t plain(const Id<Tag>& value) {
  return value.value;
}

template <class T>
concept Plain = requires(const T& value) { plain(value); };

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class Message>
using Repeated = google::protobuf::RepeatedPtrField<Message>;

// An object, so that put_fields() is found for types that are described after this.
struct PartWriter {
  template <class T, class Message>
  void put(const T& from, Message* to) const {
    if constexpr (requires { protocol::put(from, to); }) {
      protocol::put(from, to);
    } else {
      put_fields(*this, from, to);
    }
  }

  template <class T, class Message>
  void put(const std::vector<T>& from, Repeated<Message>* to) const {
    for (const T& one : from) put(one, to->Add());
  }
  void put(const std::string& from, std::string* to) const { *to = from; }
};

// ---- from messages ----

// The last enumerator of each kind, and what is wrong with a number behind it.
constexpr auto last_of(scheduler::Duty) {
  return std::pair(scheduler::Duty::Left, "its node's duty is of an unknown kind");
}
constexpr auto last_of(scheduler::DecisionNote::What) {
  return std::pair(scheduler::DecisionNote::What::Note, "its decision is of an unknown kind");
}
constexpr auto last_of(scheduler::AttemptEnd) {
  return std::pair(scheduler::AttemptEnd::Excused, "its attempt ended in an unknown way");
}
constexpr auto last_of(scheduler::JobState) {
  return std::pair(scheduler::JobState::Killed, "its job is in an unknown state");
}
constexpr auto last_of(Codec) { return std::pair(Codec::Bzip2, "it names an unknown compression"); }

// Reads parts; the first thing that cannot be right is kept, and makes the whole an error.
class PartReader {
 public:
  enum class Ids { Real, Any };  // events may name what there is not: the scheduler can bear it, and so must the codec
  explicit PartReader(Ids ids) : ids_(ids) {}

  const char* wrong() const { return wrong_; }
  void require(bool holds, const char* otherwise) {
    if (!holds && wrong_ == nullptr) wrong_ = otherwise;
  }

  template <class T, class Message>
  T as(const Message& from) {
    T to{};
    read(from, to);
    return to;
  }

  template <class T, class Message>
  void read(const Message& from, T& to) {
    if constexpr (std::is_enum_v<T>) {
      const auto [last, otherwise] = last_of(to);
      const auto number = static_cast<std::uint32_t>(from);
      require(number <= static_cast<std::uint32_t>(last), otherwise);
      to = number <= static_cast<std::uint32_t>(last) ? static_cast<T>(number) : T{};
    } else if constexpr (std::is_assignable_v<T&, const Message&>) {
      to = from;
    } else {
      read_fields(*this, from, to);
    }
  }
  void read(std::int64_t from, Duration& to) { to = Duration(from); }
  void read(std::uint32_t from, JobId& to) {
    require(from != 0 || ids_ == Ids::Any, "its job number is 0");
    to = JobId{from};
  }
  void read(std::uint32_t from, NodeId& to) {
    require(from != 0 || ids_ == Ids::Any, "its node number is 0");
    to = NodeId{from};
  }
  void read(const wire::Attempt& from, AttemptId& to) {
    to = protocol::attempt_id(from);
    read(from.job(), to.task.job);
  }
  void read(const wire::Range& from, ByteRange& to) {
    require(from.begin() <= from.end(), "its range ends before it begins");
    to = {from.begin(), from.end()};
  }
  void read(const Repeated<wire::Entry>& from, scheduler::StringMap& to) {
    for (const wire::Entry& entry : from)
      require(to.emplace(entry.key(), entry.value()).second, "it names a parameter twice");
  }
  void read(const Repeated<wire::Counter>& from, scheduler::Counters& to) {  // a worker may name one twice
    for (const wire::Counter& counter : from) {
      const auto [entry, is_new] = to.try_emplace({counter.group(), counter.name()}, 0);
      require(is_new || ids_ == Ids::Any, "it names a counter twice");
      entry->second += counter.value();
    }
  }
  template <class T, class Message>
  void read(const Repeated<Message>& from, std::vector<T>& to) {
    to.reserve(static_cast<std::size_t>(from.size()));
    for (const Message& one : from) read(one, to.emplace_back());
  }
  void read(const wire::AccessPoint& from, AccessPoint& to) {
    const std::size_t hash = from.window_hash().size();
    require(hash == 0 || hash == to.window.size(), "it has a window's hash of a wrong size");
    to = protocol::access_point(from);
  }
  void read(const wire::JobSettings& from, JobSettings& to) {
    to = protocol::job_settings(from);
    require(to.policy_parameters.size() == static_cast<std::size_t>(from.policy_parameters_size()),
            "it names a parameter twice");
  }

 private:
  const Ids ids_;
  const char* wrong_ = nullptr;
};

// ---- types, by their members ----

// For what of a type its members do not say, or that must hold for them: overloads before the type is described.
template <class T, class Message>
void put_rest(const T&, Message*) {}
template <class T, class Message>
void read_rest(PartReader&, const Message&, T&) {}

#define ONTIME_PUT_MEMBER(r, data, member) ONTIME_PUT(member)  // once more: `member` is expanded before it is pasted
#define ONTIME_PUT(name)                                \
  if constexpr (kIsOptional<decltype(from.name)>) {     \
    if (from.name) to->set_##name(plain(*from.name));   \
  } else if constexpr (requires { to->name##_ns(); }) { \
    to->set_##name##_ns(plain(from.name));              \
  } else if constexpr (Plain<decltype(from.name)>) {    \
    to->set_##name(plain(from.name));                   \
  } else {                                              \
    writer.put(from.name, to->mutable_##name());        \
  }

#define ONTIME_READ_MEMBER(r, data, member) ONTIME_READ(member)
#define ONTIME_READ(name)                                \
  if constexpr (kIsOptional<decltype(to.name)>) {        \
    if (from.has_##name()) to.name = from.name();        \
  } else if constexpr (requires { from.name##_ns(); }) { \
    reader.read(from.name##_ns(), to.name);              \
  } else {                                               \
    reader.read(from.name(), to.name);                   \
  }

#define ONTIME_FIELDS(Type, members)                                                       \
  template <std::same_as<Type> T, class Message>                                           \
  void put_fields([[maybe_unused]] const PartWriter& writer, const T& from, Message* to) { \
    BOOST_PP_SEQ_FOR_EACH(ONTIME_PUT_MEMBER, _, members)                                   \
    put_rest(from, to);                                                                    \
  }                                                                                        \
  template <std::same_as<Type> T, class Message>                                           \
  void read_fields(PartReader& reader, const Message& from, T& to) {                       \
    BOOST_PP_SEQ_FOR_EACH(ONTIME_READ_MEMBER, _, members)                                  \
    read_rest(reader, from, to);                                                           \
  }

inline void read_rest(PartReader& reader, const wire::InputFile& from, scheduler::InputFile& to) {
  std::uint64_t bytes = 0;
  for (const scheduler::InputPart& part : to.parts) bytes += part.size;
  reader.require(to.parts.empty() || bytes == from.size(), "its group of files is not as large as they are");
}

// Its settings, whose fields are the same wherever they are held.
inline void put_rest(const scheduler::JobSpec& from, wire::JobSpec* to) { protocol::put(from, to->mutable_settings()); }

inline void read_rest(PartReader& reader, const wire::JobSpec& from, scheduler::JobSpec& to) {
  reader.read(from.settings(), static_cast<JobSettings&>(to));
}

ONTIME_FIELDS(scheduler::InputPart, (path)(size)(version)(codec))
ONTIME_FIELDS(scheduler::InputFile, (path)(size)(version)(codec)(content_bytes)(points)(parts))
ONTIME_FIELDS(scheduler::ShippedFile, (name)(content)(executable))
ONTIME_FIELDS(scheduler::JobSpec,
              (application)(parameters)(output)(split_bytes)(files)(application_directories)(notify))

inline void put_fields(const PartWriter& writer, const scheduler::JobSpec& from, stored::JobSpec* to) {
  writer.put(from, to->mutable_asked());
  writer.put(from.inputs, to->mutable_inputs());
  to->set_claim(from.claim);
  to->set_owner(from.owner);
  to->set_advised(from.advised);
}

inline void read_fields(PartReader& reader, const stored::JobSpec& from, scheduler::JobSpec& to) {
  reader.read(from.asked(), to);
  reader.read(from.inputs(), to.inputs);
  to.claim = from.claim();
  to.owner = from.owner();
  to.advised = from.advised();
  reader.require(to.split_bytes != 0, "its split size is 0");
}

ONTIME_FIELDS(scheduler::SegmentTimes, (age)(first)(last)(timed_bytes)(moves))
ONTIME_FIELDS(scheduler::SealedOutput, (file_offset)(length)(records)(crc32c)(content_length))

// Of a seal: the message holds the counters with the output that they came with.
void put_counters(const auto& seal, auto* to) {
  PartWriter().put(seal.counters, to->mutable_output()->mutable_counters());
}
void read_counters(PartReader& reader, const auto& from, auto& seal) {
  reader.read(from.output().counters(), seal.counters);
}

}  // namespace ontime::journal
