#pragma once
// A command that is started once and then maps segment after segment: what it is sent and what it answers has headers,
// so it need not end to tell where an output ends. docs/applications.md describes the frames.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/exec/command.h"
#include "apps/exec/framing.h"
#include "apps/exec/merge.h"
#include "apps/exec/own_directory.h"
#include "common/app/application.h"

namespace ontime::apps {

// Takes the answers of a command apart. Its memory is bounded whatever the command writes.
class FramedAnswer {
 public:
  // For a job with that merge.
  explicit FramedAnswer(std::string_view merge = {}) : numbers_(merge) {}

  // Another answer is due.
  void begin() { is_complete_ = false; }
  bool is_complete() const { return is_complete_; }
  // Bytes as they come, cut anywhere. Returns at the end of `bytes`; throws std::runtime_error for what is no answer.
  void receive(std::string_view bytes, app::Output& out);
  // Whether all output so far ends with a line feed.
  bool is_at_line_start() const { return last_ == '\n'; }
  // To be said when an output was completed by the caller.
  void line_ended();

 private:
  void take_header();

  NumberLines numbers_;
  std::string header_;      // as far as it has come
  std::uint64_t left_ = 0;  // bytes of an output that have not come yet
  char last_ = '\n';
  bool is_complete_ = true;
};

// Sends every batch to the command and waits for its answer, so a batch that map() returned from is mapped.
class FramedMapper final : public app::Mapper {
 public:
  FramedMapper();
  ~FramedMapper() override;

  void setup(app::Context& context) override {
    context_ = &context;
    framing_.emplace(context.get("framing"));
    files_ = read_job_files();
  }
  void begin_segment(std::uint64_t offset) override;
  void map(const app::Batch& batch, app::Output& out) override;
  void flush(app::Output& out) override;

 private:
  void ask(const std::string& header, std::string_view body, app::Output& out);
  void start();

  app::Context* context_ = nullptr;
  std::optional<Framing> framing_;
  std::vector<JobFile> files_;
  app::Output* out_ = nullptr;  // set while an answer is waited for
  FramedAnswer answer_;
  std::optional<StderrLines> errors_;
  std::unique_ptr<Command> command_;  // none before the first segment, or after a failure
};

}  // namespace ontime::apps
