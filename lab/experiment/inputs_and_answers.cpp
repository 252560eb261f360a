#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "apps/gen/generator.h"
#include "cli/commands/execute.h"
#include "cli/job_request.h"
#include "cli/text_file.h"
#include "cli/verify/verify.h"
#include "common/app/loaded_application.h"
#include "common/base/crc32c.h"
#include "common/records/formats.h"
#include "lab/experiment/backend.h"
#include "master/inputs/input_content.h"

namespace ontime::lab::experiment {

using namespace cli;
namespace {

// The application's view of the question; empty directories stand for the default ones.
struct Asked {
  bool merges = false;
  std::unique_ptr<app::RecordFormat> format;  // null: lines
};

Result<Asked> look_at(const JobGroup& group, const std::vector<std::string>& directories) {
  const auto loaded = app::LoadedApplication::load(group.work.application, application_directories(directories),
                                                   app::Keeper{geteuid(), getegid()});
  if (!loaded) return loaded.error();
  const auto parameters = loaded->complete({group.work.parameters.begin(), group.work.parameters.end()});
  if (!parameters) return parameters.error();
  const app::Application& application = loaded->application();
  return Asked{application.merger_for(*parameters) != nullptr || application.make_order() != nullptr,
               application.record_format(*parameters)};
}

// Nothing is known of compressed files and directories: 0.
Result<std::uint64_t> records_in(const std::vector<std::string>& inputs, const app::RecordFormat& format) {
  std::uint64_t records = 0;
  for (const std::string& path : inputs) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return 0;
    const auto text = read_text_file(path);
    if (!text) return text.error();
    if (master::content_of(*text).codec != Codec::Plain) return 0;
    if (!text->empty()) records += format.take({*text, 0, true}, text->size()).records;
  }
  return records;
}

std::string question(const JobGroup& group, const std::vector<std::string>& inputs) {
  std::string key = group.work.application;
  for (const auto& [name, value] : group.work.parameters) key += "\n" + name + "=" + value;
  for (const std::string& path : inputs) key += "\n" + path;
  return key;
}

constexpr std::uint64_t kDataMax = 1ull << 30;
constexpr std::uint64_t kRowBytes = 100;  // of kinds that count rows

// As `ontime gen` wants it; kinds that are not there are its to refuse.
std::string amount_of(const std::string& data, std::uint64_t bytes) {
  const auto& kinds = apps::generator_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.name == data; });
  const bool counts_rows = kind != kinds.end() && kind->unit == apps::GeneratorKind::Unit::Rows;
  return std::to_string(counts_rows ? bytes / kRowBytes : bytes);
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
    const auto records = records_in(inputs, asked->format ? *asked->format : records::lines());
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
  return {};
}

std::string Inputs::data_path(const JobGroup& group, std::uint32_t tasks) const {
  return directory_ + "/" + group.work.data + "-" + std::to_string(group.size.split_bytes * tasks);
}

std::vector<std::string> Inputs::of(const JobGroup& group, std::uint32_t tasks) const {
  return group.work.files.empty() ? std::vector{data_path(group, tasks)} : group.work.files;
}

Status Inputs::prepare(const Scenario& scenario, const std::vector<PlannedJob>& jobs) {
  if (auto made = make_directory(directory_); !made) return made;
  for (const PlannedJob& job : jobs) {
    const JobGroup& group = scenario.jobs[job.group];
    for (const std::string& file : group.work.files) {
      if (access(file.c_str(), R_OK) != 0) return bad_input("the input '" + file + "' cannot be read");
    }
    const std::string path = data_path(group, job.tasks);
    if (!group.work.files.empty() || access(path.c_str(), R_OK) == 0) continue;
    const std::uint64_t bytes = group.size.split_bytes * job.tasks;
    if (bytes > kDataMax) return bad_input("a job of '" + group.name + "' has more than 1 GiB of data; name a file");
    GenCommand gen;
    gen.kind = group.work.data;
    gen.amount = amount_of(group.work.data, bytes);
    gen.output = path;
    gen.quiet = true;
    if (auto made = execute(gen); !made) return made.error();
  }
  return {};
}

}  // namespace ontime::lab::experiment
