#include <algorithm>
#include <filesystem>

#include "cli/commands/execute.h"
#include "cli/job_request.h"
#include "cli/text_file.h"
#include "cli/verify/verify.h"
#include "common/app/loaded_application.h"
#include "common/base/crc32c.h"
#include "lab/experiment/backend.h"
#include "master/input_file.h"

namespace ontime::lab::experiment {

using namespace cli;
namespace {

// The application's view of the question; empty directories stand for the default ones.
struct Asked {
  bool merges = false;
  std::uint32_t record_bytes = 0;  // 0: lines
};

Result<Asked> look_at(const JobGroup& group, const std::vector<std::string>& directories) {
  const auto loaded = app::LoadedApplication::load(group.application, application_directories(directories));
  if (!loaded) return loaded.error();
  const auto parameters = loaded->complete({group.parameters.begin(), group.parameters.end()});
  if (!parameters) return parameters.error();
  const app::Application& application = loaded->application();
  return Asked{application.merger_for(*parameters) != nullptr || application.make_order() != nullptr,
               application.record_bytes(*parameters)};
}

// Nothing is known of compressed files and directories: 0.
Result<std::uint64_t> records_in(const std::vector<std::string>& inputs, std::uint32_t record_bytes) {
  std::uint64_t records = 0;
  for (const std::string& path : inputs) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return 0;
    const auto text = read_text_file(path);
    if (!text) return text.error();
    if (master::content_of(*text).codec != scheduler::Codec::Plain) return 0;
    if (record_bytes > 0) {
      records += (text->size() + record_bytes - 1) / record_bytes;
    } else {
      records += static_cast<std::uint64_t>(std::count(text->begin(), text->end(), '\n'));
      records += !text->empty() && text->back() != '\n' ? 1 : 0;
    }
  }
  return records;
}

std::string question(const JobGroup& group, const std::vector<std::string>& inputs) {
  std::string key = group.application;
  for (const auto& [name, value] : group.parameters) key += "\n" + name + "=" + value;
  for (const std::string& path : inputs) key += "\n" + path;
  return key;
}

}  // namespace

Result<std::uint32_t> Answers::checksum_of(const std::string& output) const {
  ResultCommand command;
  command.directory = output;
  command.output = scratch_;
  command.application_directories = application_directories_;
  if (auto merged = execute(command); !merged) return merged.error();
  const auto text = read_text_file(scratch_);
  if (!text) return text.error();
  std::error_code ignored;
  std::filesystem::remove(scratch_, ignored);
  return crc32c(*text);
}

Status Answers::check(const std::string& output, const JobGroup& group, const std::vector<std::string>& inputs) {
  const auto verdict = verify_directory(output, [](std::uint64_t) {});
  if (!verdict) return verdict.error();
  if (!verdict->is_whole()) return failed(verdict->problems.front());
  const auto asked = look_at(group, application_directories_);
  if (!asked) return asked.error();
  Known now;
  now.records = verdict->records;
  if (asked->merges) {
    const auto checksum = checksum_of(output);
    if (!checksum) return checksum.error();
    now.checksum = *checksum;
  }
  const auto [known, is_first] = known_.try_emplace(question(group, inputs), now);
  if (is_first) {
    const auto records = records_in(inputs, asked->record_bytes);
    if (!records) return records.error();
    if (*records != 0 && *records != now.records) {
      return failed("the input has " + std::to_string(*records) + " records, the answer " +
                    std::to_string(now.records));
    }
  }
  if (known->second.records != now.records) {
    return failed("the answer has " + std::to_string(now.records) + " records, an earlier job's had " +
                  std::to_string(known->second.records));
  }
  if (known->second.checksum != now.checksum) return failed("the answer differs from an earlier job's");
  ++checked_;
  return {};
}

}  // namespace ontime::lab::experiment
