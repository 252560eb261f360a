#include "tests/scheduler/scenario.h"

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "scheduler/core/action.h"
#include "scheduler/core/event.h"
#include "scheduler/core/record.h"
#include "tests/scheduler/scheduler_fixture.h"

namespace ontime::scheduler::test {
namespace {

// One command: its words, its key=value options, and the line for messages.
struct Command {
  explicit Command(const std::string& text) : line(text) {
    std::istringstream in(text);
    for (std::string word; in >> word;) {
      const auto equals = word.find('=');
      if (equals == std::string::npos)
        words.push_back(word);
      else
        options[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }

  [[noreturn]] void refuse(const std::string& why) const { throw std::runtime_error("'" + line + "': " + why); }
  const std::string& word(std::size_t index) const {
    if (index >= words.size()) refuse("more words are wanted");
    return words[index];
  }
  bool has(std::string_view flag) const {
    for (const std::string& word : words) {
      if (word == flag) return true;
    }
    return false;
  }
  std::uint64_t number(const std::string& text) const {
    std::size_t used = 0;
    const std::uint64_t value = std::stoull(text, &used);
    if (used != text.size()) refuse("'" + text + "' is no number");
    return value;
  }
  std::uint32_t small(const std::string& text) const { return static_cast<std::uint32_t>(number(text)); }
  std::uint64_t option(const std::string& name, std::uint64_t otherwise) const {
    const auto found = options.find(name);
    return found == options.end() ? otherwise : number(found->second);
  }
  std::vector<std::uint64_t> list(const std::string& name) const {
    std::vector<std::uint64_t> numbers;
    const auto found = options.find(name);
    std::istringstream in(found == options.end() ? "" : found->second);
    for (std::string one; std::getline(in, one, ',');) numbers.push_back(number(one));
    return numbers;
  }
  Duration duration(const std::string& text) const {
    const auto unit = text.find_first_not_of("0123456789");
    if (unit == std::string::npos || unit == 0) refuse("'" + text + "' is no duration");
    const std::chrono::milliseconds value(number(text.substr(0, unit)));
    if (text.substr(unit) == "ms") return value;
    if (text.substr(unit) == "s") return value * 1000;
    if (text.substr(unit) == "min") return value * 60'000;
    refuse("'" + text + "' is no duration");
  }
  // "t0-a1" of job-1.
  AttemptId attempt(const std::string& text) const {
    const auto dash = text.find("-a");
    if (text.empty() || text[0] != 't' || dash == std::string::npos) refuse("'" + text + "' is no attempt");
    return {{JobId{1}, small(text.substr(1, dash - 1))}, small(text.substr(dash + 2))};
  }
  TaskId task(const std::string& text) const {
    if (text.empty() || text[0] != 't') refuse("'" + text + "' is no task");
    return {JobId{1}, small(text.substr(1))};
  }

  std::string line;
  std::vector<std::string> words;
  std::map<std::string, std::string> options;
};

// What is ordered is the plan of the next check.
class OrderedPolicy final : public Policy {
 public:
  explicit OrderedPolicy(std::vector<Decision>& orders) : orders_(orders) {}
  Plan plan(const View& view) override { return {std::exchange(orders_, {}), view.now + std::chrono::seconds(1)}; }

 private:
  std::vector<Decision>& orders_;
};

class Player {
 public:
  Player() : world_(settings()) {}

  void perform(const Command& command) {
    using Handler = void (Player::*)(const Command&);
    static const std::map<std::string, Handler> handlers = {
        {"node", &Player::node},          {"submit", &Player::submit},  {"order", &Player::order},
        {"prepare", &Player::prepare},    {"seal", &Player::seal},      {"fail", &Player::fail},
        {"started", &Player::report},     {"ready", &Player::report},   {"progress", &Player::report},
        {"answer", &Player::report},      {"drain", &Player::drain},    {"kill", &Player::change},
        {"commit", &Player::commit},      {"restart", &Player::change}, {"beat", &Player::beat},
        {"pass", &Player::pass},          {"lose", &Player::lose},      {"show", &Player::show},
        {"elsewhere", &Player::elsewhere}};
    const auto handler = handlers.find(command.word(0));
    if (handler == handlers.end()) command.refuse("there is no such command");
    (this->*handler->second)(command);
  }

  // What has come of the commands since the last call.
  std::string take_output() {
    std::string output;
    for (; shown_ < world_.records().size(); ++shown_) {
      output += describe(world_.records()[shown_].fact) + "\n";
    }
    for (const Action& action : world_.take_all()) output += "> " + describe(action) + "\n";
    return output + std::exchange(shows_, {});
  }

 private:
  Settings settings() {
    Settings settings;
    settings.make_policy = [this](std::string_view, const StringMap&) {
      return std::make_unique<OrderedPolicy>(orders_);
    };
    return settings;
  }

  void node(const Command& command) {
    std::vector<AttemptProgress> running;
    if (const auto runs = command.options.find("runs"); runs != command.options.end()) {
      const auto at = runs->second.find('@');
      if (at == std::string::npos) command.refuse("runs=ATTEMPT@OFFSET is wanted");
      AttemptProgress progress;
      progress.attempt = command.attempt(runs->second.substr(0, at));
      progress.offset = command.number(runs->second.substr(at + 1));
      running.push_back(progress);
    }
    world_.register_node(command.word(1), static_cast<std::uint32_t>(command.option("slots", 1)), std::move(running));
  }

  void submit(const Command& command) {
    JobSpec spec;
    if (const auto found = command.options.find("checkpoints"); found != command.options.end()) {
      spec.checkpoint_interval = found->second == "off" ? Duration(0) : command.duration(found->second);
    }
    if (const auto found = command.options.find("timeout"); found != command.options.end()) {
      spec.attempt_timeout = found->second == "never" ? kNoTimeout : command.duration(found->second);
    }
    if (const auto found = command.options.find("deadline"); found != command.options.end()) {
      spec.deadline = command.duration(found->second);
    }
    spec.advised = command.has("advised");
    world_.submit(command.option("bytes", 100), command.option("split", 100), std::move(spec));
  }

  void elsewhere(const Command& command) {
    const NodeId node = world_.cluster().node_of(command.word(1));
    world_.send(event::LaunchedElsewhere{node, command.task(command.word(2)), command.number(command.word(3))});
  }

  void prepare(const Command& command) {
    const std::string& what = command.word(1);
    if (what == "clones") {
      orders_.emplace_back(CloneTasks{JobId{1}, command.small(command.word(2)), Reason::Clone});
      return;
    }
    if (what == "end") {
      orders_.emplace_back(EndAttempt{command.attempt(command.word(2)), Reason::SlowerCopy});
      return;
    }
    const TaskId task = command.task(command.word(2));
    const std::uint64_t segment = command.number(command.word(3));
    if (what == "divide") {
      orders_.emplace_back(Divide{task, segment, command.list("borders"), Reason::DivideAtStart});
    } else if (what == "speculate") {
      orders_.emplace_back(speculate(command, task, segment));
    } else {
      command.refuse("there is no such decision");
    }
  }

  static Speculate speculate(const Command& command, TaskId task, std::uint64_t segment) {
    Speculate decision;
    decision.task = task;
    decision.segment = segment;
    std::vector<TailPiece> pieces{{command.option("at", 0), 1}};
    for (const std::uint64_t border : command.list("borders")) pieces.push_back({border, 1});
    const std::vector<std::uint64_t> copies = command.list("copies");
    for (std::size_t i = 0; i < std::min(copies.size(), pieces.size()); ++i) {
      pieces[i].copies = static_cast<std::uint32_t>(copies[i]);
    }
    const Handover handover = command.has("ready") ? Handover::Ready : Handover::Predicted;
    if (!command.options.contains("at"))
      decision.work = WholeSegment{pieces[0].copies};
    else if (!command.has("release"))
      decision.work = SharedTail{pieces[0].begin, pieces[0].copies, handover};
    else
      decision.work = GivenTail{pieces, handover};
    return decision;
  }

  void order(const Command& command) {
    prepare(command);
    world_.pass(std::chrono::seconds(1));
  }

  void report(const Command& command) {
    const std::string& what = command.word(0);
    const AttemptId id = command.attempt(command.word(1));
    if (world_.cluster().find_attempt(id) == nullptr) command.refuse("there is no such attempt");
    if (what == "started") world_.start_attempt(id);
    if (what == "ready") world_.make_ready(id);
    if (what == "progress") world_.heartbeat(id, command.number(command.word(2)));
    if (what == "answer") world_.answer_cut(id, command.number(command.word(2)), command.has("release"));
  }

  void seal(const Command& command) {
    const AttemptId id = command.attempt(command.word(1));
    if (command.word(2) == "all") return world_.seal_all(id);
    world_.seal(id, {command.number(command.word(2)), command.number(command.word(3))});
  }

  void fail(const Command& command) {
    static const std::map<std::string, FailureKind> kinds = {
        {"", FailureKind::Attempt},  {"node", FailureKind::Node},       {"storage", FailureKind::Storage},
        {"away", FailureKind::Away}, {"missing", FailureKind::Missing}, {"data", FailureKind::Data}};
    const auto named = command.options.find("kind");
    const auto kind = kinds.find(named == command.options.end() ? "" : named->second);
    if (kind == kinds.end()) command.refuse("there is no such kind of failure");
    world_.fail(command.attempt(command.word(1)), "boom", kind->second);
  }

  void drain(const Command& command) {
    world_.send(event::DrainRequested{world_.cluster().node_of(command.word(1)), true});
  }

  void change(const Command& command) {
    if (command.word(0) == "kill") world_.kill(JobId{1});
    if (command.word(0) == "restart") world_.restart();
  }

  void commit(const Command& command) {
    std::vector<std::uint32_t> lost;
    for (const std::uint64_t task : command.list("lost")) lost.push_back(static_cast<std::uint32_t>(task));
    const std::string error = lost.empty() ? "" : "gone";
    world_.commit(JobId{1}, error, std::move(lost));
  }

  void beat(const Command& command) {
    const TimePoint until = world_.now() + command.duration(command.word(1));
    while (world_.now() < until) {
      world_.pass(std::min<Duration>(std::chrono::seconds(1), until - world_.now()));
      for (const auto& [id, node] : world_.cluster().nodes()) world_.heartbeat(id);
    }
  }

  void lose(const Command& command) {
    const NodeId lost = world_.cluster().node_of(command.word(1));
    for (int second = 0; second < 6; ++second) {
      world_.pass(std::chrono::seconds(1));
      for (const auto& [id, node] : world_.cluster().nodes()) {
        if (id != lost) world_.heartbeat(id);
      }
    }
  }

  void pass(const Command& command) { world_.pass(command.duration(command.word(1))); }

  void show(const Command& command) {
    static constexpr const char* kStates[] = {"launching", "running", "succeeded", "failed", "killed", "lost"};
    const Attempt& attempt = world_.attempt(command.attempt(command.word(1)));
    shows_ += command.word(1) + " " + kStates[static_cast<std::size_t>(attempt.state)] + ", holds [" +
              std::to_string(attempt.held.begin) + ", " + std::to_string(attempt.held.end) + ")";
    if (attempt.standby) shows_ += ", standby";
    if (attempt.cut) {
      static constexpr const char* kReasons[] = {"a checkpoint", "speculation", "a drain"};
      shows_ += ", asked for a cut at " + std::to_string(attempt.cut->at) + " for " +
                kReasons[static_cast<std::size_t>(attempt.cut->why)];
    }
    shows_ += "\n";
  }

  std::vector<Decision> orders_;
  World world_;
  std::size_t shown_ = 0;  // records
  std::string shows_;
};

}  // namespace

std::string play(const std::string& scenario) {
  Player player;
  player.take_output();  // the master's start
  std::string played;
  std::istringstream in(scenario);
  bool is_output = false;
  for (std::string line; std::getline(in, line);) {
    if (line == "----") {
      played += "----\n" + player.take_output() + "\n";
      is_output = true;
    } else if (is_output) {
      is_output = !line.empty();  // an empty line ends what came out
    } else {
      played += line + "\n";
      if (!line.empty() && line[0] != '#') player.perform(Command(line));
    }
  }
  return played;
}

}  // namespace ontime::scheduler::test
