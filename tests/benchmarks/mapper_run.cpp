#include "tests/benchmarks/mapper_run.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/records/formats.h"

namespace ontime::benchmarks {
namespace {

constexpr std::size_t kBlock = 128 * 1024;

class Given final : public app::Context {
 public:
  Given(const app::Application& application, std::string path, const Settings& settings)
      : path_(std::move(path)), values_(settings) {
    for (const app::Parameter& parameter : application.parameters())
      values_.try_emplace(parameter.name, parameter.default_value);
  }
  const std::string& get(std::string_view name) const override { return values_.find(name)->second; }
  const std::string& input_path() const override { return path_; }
  const std::string& header() const override { return header_; }
  std::uint64_t& counter(std::string_view, std::string_view) override { return counter_; }
  void set_status(std::string_view) override {}

 private:
  std::string path_;
  std::string header_;
  Settings values_;
  std::uint64_t counter_ = 0;
};

class Discarded final : public app::Output {
 public:
  Discarded() { make_room(1 << 20); }
  std::uint64_t bytes() const { return dropped_ + static_cast<std::uint64_t>(next_ - buffer_.data()); }

 protected:
  void make_room(std::size_t size) override {
    if (next_ != nullptr) dropped_ = bytes();
    if (buffer_.size() < size) buffer_.resize(size);
    next_ = buffer_.data();
    end_ = next_ + buffer_.size();
  }

 private:
  std::vector<char> buffer_;
  std::uint64_t dropped_ = 0;
};

[[noreturn]] void fail(const std::string& path) {
  std::perror(path.c_str());
  std::exit(1);
}

// The last line end of `bytes`, or 0.
std::size_t whole_records(const std::vector<char>& buffer, std::size_t filled) {
  const void* feed = memrchr(buffer.data(), '\n', filled);
  return feed == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(feed) - buffer.data()) + 1;
}

}  // namespace

std::uint64_t map_file(const app::Application& application, const std::string& path, std::uint64_t split_bytes,
                       const Settings& settings) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path);
  Given context(application, path, settings);
  Discarded out;
  const auto mapper = application.make_mapper();
  mapper->setup(context);
  mapper->begin_segment(0);
  std::vector<char> buffer(2 * kBlock);
  std::size_t kept = 0;
  std::uint64_t at = 0, segment = 0;
  for (;;) {
    if (buffer.size() < kept + kBlock) buffer.resize(2 * buffer.size());
    const ssize_t got = pread(file, buffer.data() + kept, kBlock, static_cast<off_t>(at));
    if (got < 0) fail(path);
    at += static_cast<std::uint64_t>(got);
    const std::size_t filled = kept + static_cast<std::size_t>(got);
    const std::size_t whole = got == 0 ? filled : whole_records(buffer, filled);
    if (whole > 0) mapper->map({{buffer.data(), whole}, at - filled, &records::lines()}, out);
    kept = filled - whole;
    std::memmove(buffer.data(), buffer.data() + whole, kept);
    if (got == 0) break;
    if (at - kept - segment < split_bytes) continue;
    mapper->flush(out);
    segment = at - kept;
    mapper->begin_segment(segment);
  }
  mapper->flush(out);
  close(file);
  return out.bytes();
}

}  // namespace ontime::benchmarks
