// Counts words as `wordcount` does, slowly: sleeps after every `lines` lines, so that there is time to kill something. It
// no longer does once the file `until` is there.
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <thread>

#include "common/app/application.h"

namespace {

using namespace ontime::app;

class Paced final : public Mapper {
 public:
  void setup(Context& context) override {
    lines_ = std::stoul(context.get("lines"));
    pause_ = std::chrono::microseconds(std::stoul(context.get("pause_us")));
    until_ = context.get("until");
    mapped_ = &context.counter("paced", "lines");
  }

  void map(const Batch& batch, Output&) override {
    for (const Line line : batch.lines()) {
      count(line.text);
      if (++*mapped_ % lines_ == 0 && !is_released()) std::this_thread::sleep_for(pause_);
    }
  }

  void flush(Output& out) override {
    for (const auto& [word, count] : counts_) out.record(word, std::to_string(count));
    counts_.clear();
  }

 private:
  bool is_released() const { return !until_.empty() && std::filesystem::exists(until_); }
  void count(std::string_view text) {
    static constexpr std::string_view kSpace = " \t\n\v\f\r";
    for (std::size_t begin = text.find_first_not_of(kSpace); begin != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kSpace, begin), text.size());
      ++counts_[std::string(text.substr(begin, end - begin))];
      begin = text.find_first_not_of(kSpace, end);
    }
  }

  std::map<std::string, std::uint64_t> counts_;
  std::size_t lines_ = 1;
  std::chrono::microseconds pause_{0};
  std::string until_;
  std::uint64_t* mapped_ = nullptr;
};

class Sums final : public Merger {
 public:
  void merge(std::string_view, std::span<const std::string_view> values, std::string& merged) override {
    std::uint64_t sum = 0;
    for (const std::string_view value : values) sum += std::stoull(std::string(value));
    merged = std::to_string(sum);
  }
};

class PacedApplication final : public Application {
 public:
  std::string description() const override { return "counts words with pauses (for tests)"; }
  std::vector<Parameter> parameters() const override {
    return {{"lines", "100", "lines between pauses"},
            {"pause_us", "1000", "length of a pause in microseconds"},
            {"until", "", "a file that ends the pauses when it is there"}};
  }
  std::unique_ptr<Mapper> make_mapper() const override { return std::make_unique<Paced>(); }
  std::unique_ptr<Merger> make_merger() const override { return std::make_unique<Sums>(); }
};

}  // namespace

ONTIME_APPLICATION(PacedApplication)
