#include "apps/exec/frames.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace ontime::apps {
namespace {

constexpr std::string_view kOutput = "output ";
constexpr std::size_t kHeaderMost = 32;

[[noreturn]] void refuse(std::string_view found) {
  throw std::runtime_error("the command answered '" + std::string(found.substr(0, kHeaderMost)) +
                           "' where 'output BYTES' or 'done' was expected");
}

}  // namespace

void FramedAnswer::receive(std::string_view bytes, app::Output& out) {
  while (!bytes.empty()) {
    if (is_complete_) throw std::runtime_error("the command wrote an answer that nothing had asked for");
    if (left_ > 0) {
      const std::string_view part = bytes.substr(0, std::min<std::uint64_t>(left_, bytes.size()));
      out.write(part);
      numbers_.add(part);
      left_ -= part.size();
      last_ = part.back();
      bytes.remove_prefix(part.size());
      continue;
    }
    const std::size_t end = bytes.find('\n');
    header_ += bytes.substr(0, std::min(end, kHeaderMost));
    if (header_.size() >= kHeaderMost) refuse(header_);
    if (end == bytes.npos) return;
    bytes.remove_prefix(end + 1);
    take_header();
  }
}

void FramedAnswer::take_header() {
  if (header_ == "done") {
    numbers_.check();
    is_complete_ = true;
  } else {
    if (!header_.starts_with(kOutput)) refuse(header_);
    const char* const last = header_.data() + header_.size();
    const auto [read, error] = std::from_chars(header_.data() + kOutput.size(), last, left_);
    if (error != std::errc() || read != last) refuse(header_);
  }
  header_.clear();
}

void FramedAnswer::line_ended() {
  if (last_ != '\n') numbers_.add("\n");
  last_ = '\n';
  numbers_.check();
}

FramedMapper::FramedMapper() = default;
FramedMapper::~FramedMapper() = default;

void FramedMapper::start() {
  if (command_) return;
  answer_ = FramedAnswer(context_->get("merge"));
  out_ = nullptr;
  errors_.emplace(*context_);
  command_ =
      std::make_unique<Command>(context_->get("command"), std::vector<std::string>(),
                                Command::Listeners{[this](auto bytes) {
                                                     if (out_ == nullptr) refuse(bytes);
                                                     answer_.receive(bytes, *out_);
                                                   },
                                                   [this](auto bytes) { errors_->add(bytes); }, [](std::uint64_t) {}},
                                make_own_directory(files_));
}

void FramedMapper::begin_segment(std::uint64_t offset) {
  start();
  const std::string& path = context_->input_path();
  command_->send("segment " + std::to_string(offset) + " " + std::to_string(path.size()) + "\n" + path);
  if (const std::string& header = context_->header(); !header.empty())
    command_->send("header " + std::to_string(header.size()) + "\n" + header);
}

void FramedMapper::map(const app::Batch& batch, app::Output& out) {
  const std::string_view bytes = framing_->frame(batch);
  ask("records " + std::to_string(batch.offset) + " " + std::to_string(bytes.size()) + "\n", bytes, out);
}

void FramedMapper::flush(app::Output& out) {
  ask("flush\n", {}, out);
  if (!answer_.is_at_line_start()) out.write("\n");
  answer_.line_ended();
}

// A command that fails is not asked again: the next segment has a new one.
void FramedMapper::ask(const std::string& header, std::string_view body, app::Output& out) {
  if (!command_) throw std::runtime_error("the command has failed before");
  std::unique_ptr<Command> command = std::move(command_);
  out_ = &out;
  answer_.begin();
  try {
    command->send(header);
    command->send(body);
    command->receive_until([this] { return answer_.is_complete(); });
    if (!answer_.is_complete()) {
      command->finish();
      throw std::runtime_error("the command \"" + context_->get("command") + "\" ended before it had answered");
    }
  } catch (...) {
    errors_->finish();  // the last line may say why it has failed
    throw;
  }
  out_ = nullptr;
  command_ = std::move(command);
}

}  // namespace ontime::apps
