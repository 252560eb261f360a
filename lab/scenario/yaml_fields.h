#pragma once
// A mapping of a YAML document, read key by key; what is wrong in it throws YamlFault, and so does a key that nobody
// has asked for.

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "common/base/distribution.h"
#include "common/base/result.h"
#include "common/base/wording.h"
#include "scheduler/core/job_spec.h"

namespace ontime::lab {

// What is wrong: "line 3: deadline: 'abc' is not a duration; ...".
class YamlFault : public std::runtime_error {
 public:
  YamlFault(const YAML::Node& where, const std::string& what);
  [[noreturn]] void throw_named(const std::string& key) const;  // again, with the key unless it names one

 private:
  YamlFault(const std::string& place, const std::string& what)
      : std::runtime_error(place + what), place_(place), what_(what) {}
  std::string place_;
  std::string what_;
  bool has_key_ = false;
};

// BadInput instead of what `read`, which answers a Result, throws of a document.
template <class Read>
auto without_throwing(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const YamlFault& fault) {
    return bad_input(fault.what());
  } catch (const YAML::Exception& fault) {
    return bad_input(not_yaml(fault.mark.line));
  }
}

// What was read of the node; the error of one that cannot be read is thrown.
template <class Value>
Value taken(const YAML::Node& node, Result<Value> read) {
  if (!read) throw YamlFault(node, read.error().message);
  return std::move(*read);
}

// The value of the name that is written.
template <class Value>
Value read_choice(const YAML::Node& node, const std::vector<std::pair<const char*, Value>>& choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (node.IsScalar() && node.Scalar() == name) return value;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  throw YamlFault(node, "write one of " + names);
}

double read_seconds(const YAML::Node& node);
double read_number(const YAML::Node& node);
std::uint64_t read_bytes(const YAML::Node& node);
// More would need more memory than machines have.
inline constexpr std::uint32_t kCountMost = 10'000'000;  // of jobs of a group, of tasks of a job
inline constexpr std::uint32_t kNodesMost = 1'000'000;
inline constexpr std::uint32_t kSlotsMost = 10'000'000;
std::uint32_t read_count(const YAML::Node& node);
bool read_flag(const YAML::Node& node);
std::vector<double> read_values(const YAML::Node& node);  // seconds
std::string read_text(const YAML::Node& node);
Distribution read_distribution(const YAML::Node& node);
bool is_distribution(const YAML::Node& node);  // whether it is written as one, right or wrong
scheduler::StringMap read_settings(const YAML::Node& node);

class YamlFields {
 public:
  explicit YamlFields(const YAML::Node& node);

  // `into` stays as it is if the key is not there.
  template <class T, class Read>
  void get(const char* key, T& into, Read read) {
    const YAML::Node value = take(key);
    if (!value) return;
    try {
      into = read(value);
    } catch (const YamlFault& fault) {
      fault.throw_named(key);
    }
  }
  void seconds(const char* key, double& into) { get(key, into, read_seconds); }
  void number(const char* key, double& into) { get(key, into, read_number); }
  void bytes(const char* key, std::uint64_t& into) { get(key, into, read_bytes); }
  void count(const char* key, std::uint32_t& into) { get(key, into, read_count); }
  void flag(const char* key, bool& into) { get(key, into, read_flag); }
  void text(const char* key, std::string& into) { get(key, into, read_text); }
  void distribution(const char* key, Distribution& into) { get(key, into, read_distribution); }
  // A job's setting, by its type.
  void setting(const char* key, std::string& into) { text(key, into); }
  void setting(const char* key, std::uint32_t& into) { count(key, into); }
  void setting(const char* key, Duration& into) {
    get(key, into, [](const YAML::Node& node) { return from_seconds(read_seconds(node)); });
  }
  void setting(const char* key, bool& into) { flag(key, into); }
  // Calls `read` for each item of a list.
  void each(const char* key, const std::function<void(const YAML::Node&)>& read);
  YAML::Node take(const char* key);  // not defined if the key is not there
  void finish() const;

 private:
  YAML::Node node_;
  std::set<std::string> known_;
};

}  // namespace ontime::lab
