#include <limits>
#include <variant>

#include "master/journal/record_codec.h"

namespace ontime::journal {
namespace {

template <class Number>
void append_big_endian(std::string& to, Number value) {
  for (int shift = 8 * (static_cast<int>(sizeof value) - 1); shift >= 0; shift -= 8) {
    to.push_back(static_cast<char>(value >> shift & 0xff));
  }
}

template <class Number>
Number read_big_endian(std::string_view bytes) {
  Number value = 0;
  for (const char byte : bytes.substr(0, sizeof value)) {
    value = static_cast<Number>(value << 8 | static_cast<std::uint8_t>(byte));
  }
  return value;
}

std::string node_key(NodeId node, std::string_view kind) {
  std::string bytes(1, kNodePrefix);
  append_big_endian(bytes, node.value);
  return bytes += kind;
}

struct PlaceOf {
  using Place = std::optional<std::string>;
  Place operator()(const scheduler::fact::MasterStarted&) const { return std::string(1, kEpochKey); }
  Place operator()(const scheduler::fact::NodeAdded& fact) const { return node_key(fact.node, "a"); }
  Place operator()(const scheduler::fact::DutyChanged& fact) const { return node_key(fact.node, "d"); }
  Place operator()(const scheduler::fact::ProfileUpdated& fact) const { return kProfilePrefix + fact.key; }
  Place operator()(const auto&) const { return std::nullopt; }
};

struct RemovedBy {
  using Removed = std::optional<KeyRange>;
  Removed operator()(const scheduler::fact::JobForgotten& fact) const {
    return KeyRange{encode_key({fact.job, 0}), encode_key({fact.job, std::numeric_limits<std::uint64_t>::max()})};
  }
  Removed operator()(const scheduler::fact::NodeForgotten& fact) const {
    return KeyRange{node_key(fact.node, ""), node_key(fact.node, "z")};
  }
  Removed operator()(const scheduler::fact::ProfileForgotten& fact) const {
    const std::string key = kProfilePrefix + fact.key;
    return KeyRange{key, key + '\0'};
  }
  Removed operator()(const auto&) const { return std::nullopt; }
};

}  // namespace

std::string encode_key(const RecordKey& key) {
  std::string bytes(1, kRecordPrefix);
  append_big_endian(bytes, key.job.value);
  append_big_endian(bytes, key.sequence);
  return bytes;
}

std::optional<RecordKey> decode_key(std::string_view bytes) {
  if (bytes.size() != 13 || bytes[0] != kRecordPrefix) return std::nullopt;
  return RecordKey{JobId{read_big_endian<std::uint32_t>(bytes.substr(1))},
                   read_big_endian<std::uint64_t>(bytes.substr(5))};
}

std::optional<std::string> place_of(const scheduler::Fact& fact) { return std::visit(PlaceOf{}, fact); }

std::optional<KeyRange> removed_by(const scheduler::Fact& fact) { return std::visit(RemovedBy{}, fact); }

}  // namespace ontime::journal
