#pragma once
// An application found by name and loaded from its shared object. Used by the runner (to map), and by the command line
// (to check parameters early, to list applications, to merge results). Not installed.

#include <sys/types.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/app/application.h"
#include "common/base/result.h"

namespace ontime::app {

// Who may change an application, or what else a program loads: the worker runs what lies in that file.

// The user that runs it: a worker's, or who reads a result.
struct Keeper {
  uid_t user = 0;
  gid_t group = 0;
};

// BadInput, with one sentence, unless only root, the keeper and the owner of the running program (who could change that
// as well) can change the file or put another in its place: they own it and its directory, and nobody else may write
// them. The keeper's own group counts as the keeper. The sentence calls it `what` it is.
Status check_kept(const std::string& path, const Keeper& keeper, const std::string& what = "application");

// The values a job gave, completed with defaults.
class ParameterValues final : public Parameters {
 public:
  explicit ParameterValues(std::map<std::string, std::string, std::less<>> values) : values_(std::move(values)) {}
  const std::string& get(std::string_view name) const override;
  const std::map<std::string, std::string, std::less<>>& all() const { return values_; }

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

// The defaults of `declared`, replaced by what is `given`. BadInput for a name that is not declared: says what `whose`
// ("the application sort") has.
Result<ParameterValues> with_defaults(const std::string& whose, std::vector<Parameter> declared,
                                      const std::map<std::string, std::string, std::less<>>& given);

class LoadedApplication {
 public:
  // `name` is "wordcount", looked up as libontime_app_wordcount.so in `directories` in order, or a path with a '/'.
  // BadInput when there is none (lists what there is), when it is no application or was built for another interface.
  // The shared object stays loaded until the process ends.
  // With a keeper, one that others could change is refused, see check_kept.
  static Result<LoadedApplication> load(std::string_view name, const std::vector<std::string>& directories,
                                        const std::optional<Keeper>& keeper = {});

  const std::string& name() const { return name_; }
  const std::string& path() const { return path_; }
  const Application& application() const { return *application_; }

  // Completes `given` with defaults and validates. BadInput names an unknown parameter and lists the known ones.
  Result<ParameterValues> complete(const std::map<std::string, std::string, std::less<>>& given) const;

 private:
  LoadedApplication(std::string name, std::string path, const Application* application)
      : name_(std::move(name)), path_(std::move(path)), application_(application) {}
  std::string name_;
  std::string path_;
  const Application* application_;
};

// Directories where applications are looked up: $ONTIME_APP_PATH (colon-separated) if set, then ../lib/ontime/apps
// beside the directory of the running program.
std::vector<std::string> default_application_directories();
// "wordcount" for "libontime_app_wordcount.so"; empty for a file of another kind.
std::string application_name(std::string_view file_name);
// Names of all applications in `directories`, sorted, each once.
std::vector<std::string> list_applications(const std::vector<std::string>& directories);

}  // namespace ontime::app
