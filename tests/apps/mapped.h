#pragma once
// Runs an application over a text as the runner does, cut where the test says, and merges what it wrote as
// `ontime result` does.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/application.h"
#include "common/records/formats.h"

namespace ontime::apps::test {

// Parameters, counters and a status line in memory.
class TestContext final : public app::Context {
 public:
  explicit TestContext(std::map<std::string, std::string, std::less<>> parameters = {})
      : parameters_(std::move(parameters)) {}

  const std::string& get(std::string_view name) const override { return parameters_.find(name)->second; }
  const std::string& input_path() const override { return path; }
  const std::string& header() const override { return first_record; }
  app::AttemptId attempt() const override { return {7, 3, 1}; }
  std::uint64_t& counter(std::string_view group, std::string_view name) override {
    return counters[std::string(group) + "," + std::string(name)];
  }
  void set_status(std::string_view text) override {
    status = text;
    if (on_status) on_status(text);
  }
  void set_taken(std::uint64_t offset) override {
    if (on_taken) on_taken(offset);
  }
  bool is_released(std::uint64_t offset) override { return on_asked && on_asked(offset); }

  std::string path = "/some/where/input.txt";
  std::string first_record;
  std::map<std::string, std::uint64_t> counters;
  std::string status;
  std::function<void(std::string_view)> on_status;
  std::function<void(std::uint64_t)> on_taken;
  std::function<bool(std::uint64_t)> on_asked;

 private:
  std::map<std::string, std::string, std::less<>> parameters_;
};

// Output that is asked for room at almost every write.
class TightOutput final : public app::Output {
 public:
  TightOutput() { make_room(1); }
  std::string text() const { return written_ + std::string(buffer_.get(), used()); }

 protected:
  void make_room(std::size_t size) override {
    if (buffer_ != nullptr) written_.append(buffer_.get(), used());
    buffer_ = std::make_unique<char[]>(size);
    next_ = buffer_.get();
    end_ = next_ + size;
  }

 private:
  std::size_t used() const { return static_cast<std::size_t>(next_ - buffer_.get()); }
  std::string written_;
  std::unique_ptr<char[]> buffer_;
};

// Where a text is divided: indices of records. Cuts end segments, the others only batches.
struct Division {
  std::vector<std::size_t> batches;
  std::vector<std::size_t> cuts;
  const app::RecordFormat* format = &records::lines();
};

// The application by its name, out of the build directory.
const app::Application& application(const std::string& name);
// With the application's defaults for what is not given.
TestContext context_of(const app::Application& application, std::map<std::string, std::string, std::less<>> given = {});

// The output of every segment of `text`, through `mapper`, which is set up already.
std::vector<std::string> map_text(app::Mapper& mapper, std::string_view text, const Division& division = {});
// A fresh mapper over one text.
std::vector<std::string> map_text(const app::Application& application, TestContext& context, std::string_view text,
                                  const Division& division = {});
// The merged answer. Throws what the merger throws.
std::string merge(const app::Application& application, const TestContext& context,
                  const std::vector<std::string>& outputs);
// The answer of an application that sorts, by the plainest way. Throws unless each output is one sorted run.
std::string sorted(const app::Application& application, const TestContext& context,
                   const std::vector<std::string>& outputs);
// The records of `bytes`; lines without their line feeds.
std::vector<std::string> records_of(std::string_view bytes, std::size_t record_bytes);

}  // namespace ontime::apps::test
