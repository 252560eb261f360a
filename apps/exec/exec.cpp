// Any program as a mapper, by the conventions of Hadoop Streaming: a shell command gets the records of a segment on its
// stdin, and what it writes to stdout is the output of the segment.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exec/command.h"
#include "apps/exec/frames.h"
#include "apps/exec/framing.h"
#include "apps/exec/merge.h"
#include "apps/exec/own_directory.h"
#include "apps/text/switch.h"
#include "common/app/application.h"

namespace {

using namespace ontime::app;
using namespace ontime::apps;

// "0,1"
std::vector<int> exit_codes(std::string_view text) {
  std::vector<int> codes;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(end == text.npos ? 0 : end + 1)) {
    end = text.find(',');
    const std::string_view part = text.substr(0, end);
    int code = -1;
    const auto [read, error] = std::from_chars(part.data(), part.data() + part.size(), code);
    if (error != std::errc() || read != part.data() + part.size() || code < 0 || code > 255)
      throw std::invalid_argument("ok is a list of exit codes from 0 to 255, such as 0,1; '" + std::string(part) +
                                  "' is none");
    codes.push_back(code);
  }
  return codes;
}

// One run of the command, for one segment.
class Run {
 public:
  Run(Context& context, std::uint64_t offset, const std::vector<JobFile>& files)
      : context_(context),
        framing_(context.get("framing")),
        numbers_(context.get("merge")),
        errors_(context),
        command_(context.get("command"), environment(context, offset),
                 {[this](auto bytes) { receive(bytes); }, [this](auto bytes) { errors_.add(bytes); },
                  [this](std::uint64_t bytes) { take(bytes); }},
                 make_own_directory(files)) {}

  void send(const Batch& batch, Output& out) {
    if (sent_ == 0) context_.set_taken(taken_ = begin_ = batch.offset);  // nothing yet, however much waits for it
    out_ = &out;
    const std::string_view bytes = framing_.frame(batch);
    std::size_t wanted = bytes.size();
    sent_ += wanted;
    if (!framing_.is_none()) remember_ends(batch);
    Records::Iterator next = batch.records().begin();  // of which nothing has been sent
    std::size_t next_begin = 0;
    const std::size_t handed_on = command_.send(bytes, [&](std::size_t sent) {
      for (; next_begin < sent; ++next) next_begin += framing_.framed_size(next);
      if (next_begin < wanted && context_.is_released((*next).offset)) wanted = next_begin;
      return wanted;
    });
    sent_ -= bytes.size() - handed_on;
    ends_.take_back(framing_.is_none() ? 0 : bytes.size() - handed_on);
    const bool are_lines = framing_.is_none() && batch.format->text("\n").empty();
    lacks_line_end_ = handed_on > 0 && are_lines && bytes[handed_on - 1] != '\n';
  }

  // Lines are whole on both sides: a last one without its end gets one.
  void finish(Output& out) {
    out_ = &out;
    if (lacks_line_end_) command_.send("\n");
    try {
      command_.finish(exit_codes(context_.get("ok")));
    } catch (...) {
      errors_.finish();  // the last line may say why it has failed
      throw;
    }
    errors_.finish();
    if (received_last_ != '\n') receive("\n");
    numbers_.check();
  }

 private:
  static constexpr std::size_t kHeaderMost =
      16 << 10;  // small beside what the system lets a command and its environment have

  // Hadoop's names beside our own.
  static std::vector<std::string> environment(const Context& context, std::uint64_t offset) {
    const std::string& path = context.input_path();
    const AttemptId id = context.attempt();
    const bool fits = context.header().size() <= kHeaderMost && context.header().find('\0') == std::string::npos;
    const std::string header = fits ? context.header() : "";
    const auto padded = [](std::uint32_t number, std::size_t digits) {
      const std::string text = std::to_string(number);
      return std::string(digits - std::min(digits, text.size()), '0') + text;
    };
    const std::string job = "0_" + padded(id.job, 4);
    const std::string task = job + "_m_" + padded(id.task, 6);
    const std::string attempt = "attempt_" + task + "_" + std::to_string(id.number);
    return {"ontime_input_file=" + path,
            "ontime_input_offset=" + std::to_string(offset),
            "ontime_input_header=" + header,
            "map_input_file=" + path,
            "map_input_start=" + std::to_string(offset),
            "mapreduce_map_input_file=" + path,
            "mapreduce_map_input_start=" + std::to_string(offset),
            "mapreduce_job_id=job_" + job,
            "mapreduce_task_id=task_" + task,
            "mapreduce_task_attempt_id=" + attempt,
            "mapreduce_task_partition=" + std::to_string(id.task),
            "mapreduce_task_ismap=true",
            "mapred_job_id=job_" + job,
            "mapred_tip_id=task_" + task,
            "mapred_task_id=" + attempt,
            "mapred_task_partition=" + std::to_string(id.task),
            "mapred_task_is_map=true"};
  }

  void remember_ends(const Batch& batch) {
    const Records records = batch.records();
    for (auto record = records.begin(); record != records.end(); ++record)
      ends_.add(framing_.framed_size(record), (*record).offset + record.size());
  }

  void receive(std::string_view bytes) {
    numbers_.add(bytes);
    out_->write(bytes);
    received_last_ = bytes.back();
  }

  // The attempt has got as far as the command has.
  void take(std::uint64_t bytes) {
    taken_ = framing_.is_none() ? begin_ + std::min(bytes, sent_) : ends_.input_end(bytes, taken_);
    context_.set_taken(taken_);
  }

  Context& context_;
  Framing framing_;
  NumberLines numbers_;
  Sent ends_;                // of records, if they are framed
  std::uint64_t taken_ = 0;  // below, the command has read the input
  std::uint64_t begin_ = 0;  // of the records, in the input
  std::uint64_t sent_ = 0;   // bytes, framed or not
  Output* out_ = nullptr;    // set during send() and finish()
  bool lacks_line_end_ = false;
  char received_last_ = '\n';
  StderrLines errors_;
  Command command_;
};

class ExecMapper final : public Mapper {
 public:
  void setup(Context& context) override {
    context_ = &context;
    if (context.get("frames") != "yes") {
      files_ = read_job_files();
      return;
    }
    framed_.emplace();
    framed_->setup(context);
  }

  void begin_segment(std::uint64_t offset) override {
    if (framed_) return framed_->begin_segment(offset);
    run_.reset();  // of a segment that was given up
    offset_ = offset;
  }

  void map(const Batch& batch, Output& out) override {
    if (framed_) return framed_->map(batch, out);
    if (!run_) run_.emplace(*context_, offset_, files_);
    run_->send(batch, out);
  }

  void flush(Output& out) override {
    if (framed_) return framed_->flush(out);
    if (!run_) run_.emplace(*context_, offset_, files_);  // a segment without records: the command sees an empty stdin
    run_->finish(out);
    run_.reset();
  }

 private:
  Context* context_ = nullptr;
  std::uint64_t offset_ = 0;
  std::vector<JobFile> files_;
  std::optional<Run> run_;
  std::optional<FramedMapper> framed_;  // if one command maps all segments
};

class Exec final : public Application {
 public:
  std::string description() const override { return "runs a command that maps stdin to stdout"; }
  std::vector<Parameter> parameters() const override {
    return {{"command", "", "what /bin/sh -c runs for each segment (needed)"},
            {"ok", "0", "exit codes of the command that are fine, such as 0,1 for grep"},
            {"frames", "no", "yes: the command is started once for each runner, and reads and writes frames"},
            {"framing", "none",
             "how records are told apart on stdin: none (as they stand in the input), lines, nul or netstring"},
            {"merge", "",
             "how values of a key<TAB>value become the answer: sum, max, min, list, or a command that reads all lines "
             "by key; empty: not at all"}};
  }
  void validate(const Parameters& given) const override {
    const std::string& command = given.get("command");
    if (command.empty()) throw std::invalid_argument("exec needs a command: --set command=\"...\"");
    if ((command + given.get("merge")).find('\0') != std::string::npos)
      throw std::invalid_argument("the command holds a NUL byte");
    static_cast<void>(parse_switch(given, "frames"));
    static_cast<void>(exit_codes(given.get("ok")));
    Framing(given.get("framing"));
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<ExecMapper>(); }
  std::unique_ptr<Merger> merger_for(const Parameters& given) const override {
    return ontime::apps::make_merger(given.get("merge"));
  }
};

}  // namespace

ONTIME_APPLICATION(Exec)
