// Every record is a command or the argument of one. The result of each is a line of the answer.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/each/command_group.h"
#include "apps/each/entry.h"
#include "apps/each/template.h"
#include "common/app/application.h"
#include "common/base/machine.h"
#include "common/base/median.h"
#include "common/base/units.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

constexpr std::size_t kErrorBytesMax = 4 << 10;
constexpr std::size_t kOutputBytesMax = 1 << 20;
constexpr std::uint32_t kTriesMax = 1000;

// How long a command may take: so many seconds, or so many times the median of those that have succeeded so far.
class TimeLimit {
 public:
  explicit TimeLimit(const std::string& text) {
    if (text.empty()) return;
    const bool is_share = text.ends_with('%');
    const auto number = ontime::number_in<double>(is_share ? text.substr(0, text.size() - 1) : text);
    const auto duration = ontime::parse_duration(text);
    if (number && *number > 0 && *number < 1e9)
      (is_share ? share_ : seconds_) = is_share ? *number / 100 : *number;
    else if (duration && *duration > ontime::Duration(0))
      seconds_ = std::chrono::duration<double>(*duration).count();
    else
      throw std::invalid_argument(
          "timeout is a number of seconds such as 90, a time such as 2m, or a share of the "
          "median such as 200%, not '" +
          text + "'");
  }

  std::optional<std::chrono::duration<double>> bound() const {
    if (seconds_) return std::chrono::duration<double>(*seconds_);
    if (!share_ || done_.size() < kLeast) return std::nullopt;
    return std::chrono::duration<double>(std::max(*share_ * median_, kShortest));
  }

  void on_done(double seconds) {
    if (!share_) return;
    done_.push_back(seconds);
    if (done_.size() < kOften || done_.size() % kOften == 0) median_ = ontime::median_of(done_);
  }

 private:
  static constexpr std::size_t kLeast = 3;  // fewer tell nothing
  static constexpr std::size_t kOften = 100;
  static constexpr double kShortest = 0.1;  // seconds; below, the machine decides and not the command

  std::optional<double> seconds_;
  std::optional<double> share_;
  std::vector<double> done_;
  double median_ = 0;
};

std::uint32_t tries_of(const Parameters& given) {
  const auto tries = ontime::parse_whole(given.get("retries"), 1, kTriesMax);
  if (!tries) throw std::invalid_argument("retries: " + tries.error().message);
  return static_cast<std::uint32_t>(*tries);
}

std::string separator_of(const Parameters& given) {
  const std::string& separator = given.get("colsep");
  return separator == "\\t" ? "\t" : separator;
}

std::optional<Template> template_of(const Parameters& given) {
  const std::string& command = given.get("command");
  if (command.empty()) return std::nullopt;
  return Template(command, separator_of(given));
}

class EachMapper final : public Mapper {
 public:
  void setup(Context& context) override {
    context_ = &context;
    template_ = template_of(context);
    limit_.emplace(context.get("timeout"));
    tries_max_ = tries_of(context);
    halts_ = context.get("halt") == "first";
    runs_again_ = context.get("again") == "failed";
    bounds_.output_bytes_max = context.get("output") == "drop" ? 0 : kOutputBytesMax;
    bounds_.error_bytes_max = kErrorBytesMax;
    bounds_.directory = context.get("workdir");
    run_ = &context.counter("each", "run");
    failed_ = &context.counter("each", "failed");
    late_ = &context.counter("each", "timed out");
    host_ = ontime::host_name();
    std::error_code ignored;
    commands_.emplace(std::vector<std::string>{"ontime_files=" + std::filesystem::current_path(ignored).string()});
  }

  // One command at a time, and until it has ended it is asked whether the records behind it are somebody else's now.
  void map(const Batch& batch, Output& out) override {
    const Records records = batch.records();
    bool is_released = false;
    for (auto record = records.begin(); record != records.end() && !is_released;) {
      const Record now = *record;
      ++record;
      context_->set_taken(now.offset);
      const bool is_last = record == records.end();
      while_waiting_ = [&, next = is_last ? 0 : (*record).offset] {
        is_released = is_released || (!is_last && context_->is_released(next));
      };
      take(now, out);
      while_waiting_();
    }
  }

 private:
  void take(const Record& record, Output& out) {
    Entry entry;
    entry.host = host_;
    if (runs_again_) {
      const Entry before = entry_of(record.text);
      if (before.is_ok()) return;
      entry.place = before.place;
      entry.input = before.input;
      entry.argument = before.argument;
      entry.command = before.command;
      if (template_ && entry.argument.empty()) entry.argument = before.command;
    } else {
      entry.place = record.offset;
      entry.input = context_->input_path();
      (template_ ? entry.argument : entry.command) = record.text;
    }
    if (template_) entry.command = template_->fill(entry.argument, entry.place);
    if (entry.command.find_first_not_of(" \t\r\n") == entry.command.npos) return;
    run(entry);
    out.write(line_of(entry));
    tell(entry);
  }

  void run(Entry& entry) {
    CommandEnd end;
    for (bool is_done = false; !is_done;) {
      ++entry.tries;
      bounds_.time = limit_->bound();
      if (entry.command.find('\0') == entry.command.npos)
        end = commands_->run(entry.command, bounds_, while_waiting_);
      else
        end.errors = "the record holds a NUL byte";
      is_done = end.is_ok() || entry.tries >= tries_max_;
    }
    entry.started = end.started;
    entry.seconds = end.seconds;
    entry.received = end.received;
    entry.status = end.status;
    entry.signal = end.signal;
    entry.outcome = end.is_ok() ? "ok" : end.was_late ? "timeout" : "failed";
    entry.errors = std::move(end.errors);
    entry.output = std::move(end.output);
    if (end.is_ok()) limit_->on_done(end.seconds);
  }

  void tell(const Entry& entry) {
    if (halts_ && !entry.is_ok()) throw std::runtime_error(failure_of(entry));
    ++*run_;
    if (!entry.is_ok()) ++*failed_;
    if (entry.outcome == "timeout") ++*late_;
    context_->set_status("run " + std::to_string(*run_) + ", failed " + std::to_string(*failed_) + ", timed out " +
                         std::to_string(*late_));
  }

  static std::string failure_of(const Entry& entry) {
    const std::string how = entry.outcome == "timeout" ? "was ended by its timeout"
                            : entry.signal != 0        ? "was ended by signal " + std::to_string(entry.signal)
                                                       : "ended with status " + std::to_string(entry.status);
    const std::string said = entry.errors.empty() ? "" : "; on stderr: " + entry.errors.substr(0, 400);
    return "the command \"" + entry.command.substr(0, 200) + "\" " + how + said;
  }

  Context* context_ = nullptr;
  std::optional<Template> template_;  // none: the record is the command line
  std::optional<TimeLimit> limit_;
  std::uint32_t tries_max_ = 1;
  bool halts_ = false;
  bool runs_again_ = false;
  RunBounds bounds_;
  std::string host_;
  std::optional<CommandGroup> commands_;
  std::function<void()> while_waiting_;
  std::uint64_t* run_ = nullptr;  // counters
  std::uint64_t* failed_ = nullptr;
  std::uint64_t* late_ = nullptr;
};

// By the place of the record.
class PlaceOrder final : public Order {
 public:
  void setup(const Parameters& given) override { prints_output_only_ = given.get("output") == "only"; }
  std::uint64_t rank(std::string_view) const override { return 0; }
  bool is_before(std::string_view a, std::string_view b) const override {
    const Place first = place_of(a), second = place_of(b);
    return first == second ? a < b : first < second;
  }
  void finish(std::string_view record, Output& answer) override {
    if (prints_output_only_) return answer.write(entry_of(record).output);
    print_header(answer);
    answer.write(record);
    answer.write("\n");
  }
  void finish_all(Output& answer) override {
    if (!prints_output_only_) print_header(answer);
  }

 private:
  void print_header(Output& answer) {
    if (!std::exchange(has_header_, true)) answer.write(header_of_entries());
  }
  bool prints_output_only_ = false;
  bool has_header_ = false;
};

void check_choice(const Parameters& given, const std::string& name, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), given.get(name)) != choices.end()) return;
  std::string all;
  for (const std::string& choice : choices) all += (all.empty() ? "" : ", ") + (choice.empty() ? "empty" : choice);
  throw std::invalid_argument(name + " is one of: " + all + "; not '" + given.get(name) + "'");
}

class Each final : public Application {
 public:
  std::string description() const override { return "runs a command for each record, or each record as a command"; }
  std::vector<Parameter> parameters() const override {
    return {{"command", "", "what is run; {} {.} {/} {//} {/.} {#} {1} stand for the record; empty: the record itself"},
            {"colsep", "", "what divides a record into the columns {1} {2} ..., such as , or \\t"},
            {"retries", "1", "how often a command that fails is tried, in all"},
            {"timeout", "", "of a command: seconds, a time such as 2m, or a share of the median such as 200%"},
            {"output", "keep", "of commands: keep (the first MiB each), drop, or only (the answer is nothing else)"},
            {"workdir", "", "where commands run; empty: each in an empty directory of its own, which is removed"},
            {"halt", "never", "first: a command that fails also fails the job; never: it is a line of the answer"},
            {"again", "", "failed: the input is an earlier output; run what failed there"},
            {"repeatable", "no", "yes: a slow command may be raced by a copy"}};
  }
  void validate(const Parameters& given) const override {
    if (given.get("command").find('\0') != std::string::npos)
      throw std::invalid_argument("the command holds a NUL byte");
    static_cast<void>(template_of(given));
    static_cast<void>(TimeLimit(given.get("timeout")));
    static_cast<void>(tries_of(given));
    check_choice(given, "output", {"keep", "drop", "only"});
    check_choice(given, "halt", {"never", "first"});
    check_choice(given, "again", {"", "failed"});
    check_choice(given, "repeatable", {"no", "yes"});
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<EachMapper>(); }
  std::unique_ptr<Order> make_order() const override { return std::make_unique<PlaceOrder>(); }
};

}  // namespace

ONTIME_APPLICATION(Each)
