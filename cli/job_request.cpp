#include "cli/job_request.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "common/app/loaded_application.h"
#include "common/base/clock_time.h"
#include "common/base/limits.h"
#include "common/base/units.h"
#include "common/files/disk.h"
#include "common/http/url.h"
#include "common/output/attempt_log.h"
#include "common/output/manifest.h"
#include "common/protocol/convert.h"
#include "common/store/name.h"
#include "master/inputs/input_pattern.h"

namespace ontime::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kNamesBytesMax = 32u << 20;  // half a frame

bool exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

std::string absolute(const std::string& path, const std::string& working_directory) {
  return (fs::path(working_directory) / path).lexically_normal().string();
}

bool has_scheme(std::string_view input) {
  const auto colon = input.find("://");
  return colon != std::string_view::npos && colon < input.find('/');
}

std::string absolute_input(const std::string& input, const std::string& working_directory) {
  if (input.starts_with("file:/") && !has_scheme(input)) return "file://" + input.substr(5);  // as Hadoop writes it
  if (has_scheme(input)) return input;
  if (master::is_pattern(input) && !input.starts_with('/') && !exists((fs::path(working_directory) / input).string()))
    return master::escaped_for_pattern(working_directory) + "/" + input;
  return absolute(input, working_directory);
}

// A name without a slash means all that are called so.
std::string absolute_exclude(const std::string& pattern, const std::string& working_directory) {
  if (has_scheme(pattern) || pattern.starts_with('/')) return pattern;
  if (pattern.find('/') == pattern.npos) return "**/" + pattern;
  return (fs::path(master::escaped_for_pattern(working_directory)) / pattern).lexically_normal().string();
}

bool is_written_by_jobs(std::string_view name) {
  return name == output::kAttemptsName || name.starts_with(output::kUnfinishedClaim) || name == output::kManifestName ||
         name == output::kNewManifestName || name == output::kLogsName || name == output::kNewLogsName ||
         name.starts_with("part-m-");
}

}  // namespace

wire::JobSpec make_job_spec(const JobOptions& options, const std::string& working_directory) {
  wire::JobSpec spec;
  const bool is_path = options.application.find('/') != std::string::npos;
  spec.set_application(is_path ? absolute(options.application, working_directory) : options.application);
  protocol::put(options.parameters, spec.mutable_parameters());
  for (const auto& input : options.inputs) spec.add_inputs(absolute_input(input, working_directory));
  auto output = has_scheme(options.output) ? options.output : absolute(options.output, working_directory);
  while (output.size() > 1 && output.ends_with('/')) output.pop_back();
  spec.set_output(output);
  spec.set_split_bytes(options.split_bytes);
  spec.set_splits(options.splits);
  spec.set_file_tasks(options.file_tasks);
  protocol::put(options, spec.mutable_settings());
  // Standard input, for one, may have taken long to read. Of a deadline that has passed meanwhile a little is left.
  constexpr std::int64_t kLeast = 1'000'000;
  if (options.due_unix_ns != 0)
    spec.mutable_settings()->set_deadline(std::max(kLeast, options.due_unix_ns - now_unix_ns()));
  spec.set_top_level_only(options.top_level_only);
  spec.set_growing(options.growing);
  for (const auto& pattern : options.exclude) spec.add_exclude(absolute_exclude(pattern, working_directory));
  for (const auto& notice : options.notify) spec.add_notify(notice);
  for (const auto& directory : options.application_directories)
    spec.add_application_directories(absolute(directory, working_directory));
  return spec;
}

Status add_files(const JobOptions& options, wire::JobSpec& spec) {
  for (const auto& path : options.files) {
    struct stat status {};
    std::ifstream file(path, std::ios::binary);
    if (stat(path.c_str(), &status) != 0 || !file)
      return bad_input("--file: '" + path + "' cannot be read: " + std::strerror(errno));
    if (!S_ISREG(status.st_mode)) return bad_input("--file: '" + path + "' is not a regular file");
    if (static_cast<std::uint64_t>(status.st_size) > kShippedBytesMax)
      return bad_input("--file: '" + path + "' has " + format_size(static_cast<std::uint64_t>(status.st_size)) +
                       ", and files that are sent along may have " + format_size(kShippedBytesMax) +
                       " together; put it where the workers can read it");
    wire::ShippedFile& shipped = *spec.add_files();
    shipped.set_name(fs::path(path).filename().string());
    shipped.mutable_content()->assign(std::istreambuf_iterator<char>(file), {});
    shipped.set_executable((status.st_mode & 0111) != 0);
  }
  return {};
}

Status look_up_by_name(JobOptions& options) {
  if (options.application.find('/') == std::string::npos) return {};
  const auto path = fs::absolute(options.application);
  if (access(path.c_str(), R_OK) != 0)
    return bad_input("APP: '" + options.application + "' cannot be read: " + std::strerror(errno));
  const std::string name = app::application_name(path.filename().string());
  if (name.empty())
    return bad_input("APP: '" + options.application + "' is not called libontime_app_NAME.so; rename the file");
  options.application = name;
  options.application_directories.insert(options.application_directories.begin(), path.parent_path().string());
  return {};
}

Status add_named_inputs(JobOptions& options) {
  const bool is_usual = options.inputs_file.empty() && options.inputs.empty();
  const std::string& path = is_usual ? options.usual_inputs_file : options.inputs_file;
  if (path == "-" && std::ranges::count(options.inputs, "-") > 0)
    return bad_input("--files-from: standard input is an input itself; write the names to a file");
  if (!path.empty()) {
    const Descriptor opened = path == "-" ? Descriptor(::dup(STDIN_FILENO)) : files::open(path, O_RDONLY | O_CLOEXEC);
    std::string names;
    std::array<char, 64 << 10> piece;
    ssize_t got = 0;
    while (opened && (got = ::read(opened.get(), piece.data(), piece.size())) > 0 && names.size() <= kNamesBytesMax)
      names.append(piece.data(), static_cast<std::size_t>(got));
    if (!opened || got < 0) return bad_input("--files-from: '" + path + "' cannot be read: " + std::strerror(errno));
    if (names.size() > kNamesBytesMax)
      return bad_input("--files-from: '" + path + "' has more than " + format_size(kNamesBytesMax) +
                       " of names; name directories or patterns");
    const char separator = names.find('\0') == names.npos ? '\n' : '\0';
    for (std::size_t at = 0; at < names.size();) {
      const std::size_t end = std::min(names.find(separator, at), names.size());
      std::string name = names.substr(at, end - at);
      if (name == "-") name = "./-";
      if (!name.empty()) options.inputs.push_back(std::move(name));
      at = end + 1;
    }
  }
  for (std::string& input : options.inputs) input = store::with_plain_scheme(input);
  for (std::string& pattern : options.exclude) pattern = store::with_plain_scheme(pattern);
  options.output = store::with_plain_scheme(options.output);
  return options.inputs.empty() ? bad_input("--files-from: '" + path + "' names no input") : Status();
}

bool is_local_only(const JobOptions& options) {
  const auto is_remote = [](const std::string& place) { return http::is_url(place) || store::is_name(place); };
  return !is_remote(options.output) && std::none_of(options.inputs.begin(), options.inputs.end(), is_remote);
}

Result<master::ListedInputs> list_inputs(const wire::JobSpec& spec) {
  const auto directories =
      spec.top_level_only() ? master::Directories::TopLevelOnly : master::Directories::WithThoseBelow;
  const auto choice = master::InputChoice::of(directories, {spec.exclude().begin(), spec.exclude().end()},
                                              spec.settings().skip().kinds());
  if (!choice) return choice.error();
  return master::list_inputs({spec.inputs().begin(), spec.inputs().end()}, {}, *choice);
}

Status check_can_be_written(const std::string& flag, const std::string& path) {
  if (path.empty()) return {};
  const auto directory = fs::absolute(path).parent_path().string();
  std::error_code ignored;
  const bool is_directory = fs::is_directory(path, ignored);
  if (!is_directory && access(exists(path) ? path.c_str() : directory.c_str(), W_OK) == 0) return {};
  return bad_input(flag + ": '" + path + "' cannot be written: " + std::strerror(is_directory ? EISDIR : errno));
}

Status check_is_new(const std::string& flag, const std::string& path) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored))
    return bad_input(flag + ": '" + path + "' exists; choose another name, or remove it");
  return check_can_be_written(flag, path);
}

Status check_are_different(const std::vector<NamedFile>& files) {
  std::error_code ignored;
  const auto place = [&](const NamedFile& file) { return fs::weakly_canonical(fs::absolute(file.path), ignored); };
  for (auto file = files.begin(); file != files.end(); ++file) {
    const bool is_special = fs::exists(file->path, ignored) && !fs::is_regular_file(file->path, ignored);
    if (file->path.empty() || is_special) continue;  // several may write to a terminal
    const auto same = std::find_if(files.begin(), file, [&](const NamedFile& before) {
      return !before.path.empty() && place(before) == place(*file);
    });
    if (same != file)
      return bad_input(same->flag + " and " + file->flag + " name the same file, '" + file->path +
                       "'; choose two names");
  }
  return {};
}

Status check_output(const std::string& directory) {
  if (has_scheme(directory)) return {};  // the master asks the store
  struct stat status {};
  if (stat(directory.c_str(), &status) != 0) {
    if (errno == ENOENT) return {};
    return bad_input("output directory '" + directory + "' cannot be looked at: " + std::strerror(errno));
  }
  if (!S_ISDIR(status.st_mode))
    return bad_input("output '" + directory + "' exists and is not a directory; choose another name");
  std::error_code error;
  const bool is_empty = fs::is_empty(directory, error);
  if (error) return bad_input("output directory '" + directory + "' cannot be looked at: " + error.message());
  if (exists(directory + "/_attempts"))
    return bad_input("output directory '" + directory + "' holds the work of a job that still runs or was killed; " +
                     "choose another, or remove it if no job runs there");
  if (!is_empty)
    return bad_input("output directory '" + directory + "' exists and is not empty; remove it or choose another");
  return {};
}

std::vector<std::string> application_directories(std::vector<std::string> first) {
  for (auto& directory : app::default_application_directories()) first.push_back(std::move(directory));
  return first;
}

std::string told_due(const JobOptions& options) {
  if (options.due_unix_ns == 0) return "";
  return "due " + local_time(options.due_unix_ns) + ", in " +
         format_duration(Duration(std::max<std::int64_t>(0, options.due_unix_ns - now_unix_ns())));
}

std::string current_directory() {
  std::error_code error;
  auto path = fs::current_path(error);
  return error ? "/" : path.string();
}

LeftOutput::LeftOutput(std::string directory) : directory_(std::move(directory)) {
  std::error_code ignored;
  existed_ = fs::exists(directory_, ignored);
}

void LeftOutput::hold() { held_ = files::open(directory_, files::kDirectory); }

void LeftOutput::remove() const {
  if (!held_) return;
  std::error_code ignored;
  const fs::path held = "/proc/self/fd/" + std::to_string(held_.get());
  if (fs::exists(held / output::kSuccessName, ignored)) return;
  std::vector<fs::path> doomed;
  for (fs::directory_iterator entry(held, ignored), end; entry != end; entry.increment(ignored))
    if (is_written_by_jobs(entry->path().filename().string())) doomed.push_back(entry->path());
  for (const auto& path : doomed) fs::remove_all(path, ignored);
  if (!existed_ && fs::equivalent(held, directory_, ignored)) fs::remove(directory_, ignored);  // only if it is empty
}

}  // namespace ontime::cli
