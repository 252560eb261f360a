#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "common/base/wording.h"
#include "common/flags/flags.h"

namespace ontime::flags {
namespace {

// Reads the file as CLI11 does, and checks it first, in words that name the file.
class ConfigFile final : public CLI::ConfigTOML {
 public:
  explicit ConfigFile(const CLI::App& app) : app_(app) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    // What CLI11 leaves out without a word.
    std::ostringstream text;
    std::istringstream given(std::string(std::istreambuf_iterator<char>(input), {}));
    for (std::string line; std::getline(given, line); text << line << '\n') {
      const auto begin = std::min(line.find_first_not_of(" \t\r"), line.size());
      const bool is_broken_section = line[begin] == '[' && line.find(']') == std::string::npos;
      if (is_broken_section || line[begin] == '=') refuse("the line '" + line + "' is not NAME=VALUE");
    }
    std::istringstream whole(text.str());
    auto lines = CLI::ConfigTOML::from_config(whole);
    for (const CLI::ConfigItem& line : lines) check(line);
    return lines;
  }

 private:
  void check(const CLI::ConfigItem& item) const {
    if (!item.parents.empty())
      refuse("there are no sections such as [" + item.parents.front() + "]; leave that line out");
    if (item.name.find(' ') != std::string::npos) refuse("the line '" + item.name + "' is not NAME=VALUE");
    const CLI::Option* option = app_.get_option_no_throw("--" + item.name);
    if (option == nullptr) refuse("there is no flag '" + item.name + "'" + did_you_mean(item.name, flag_names(app_)));
    if (!option->get_configurable()) refuse("'" + item.name + "' belongs on the command line, as --" + item.name);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw CLI::ValidationError("--config " + app_.get_config_ptr()->as<std::string>(), what);
  }

  const CLI::App& app_;
};

}  // namespace

void add_config_file(CLI::App& app) {
  app.set_config("--config", "", "File with any of these flags, one NAME=VALUE per line")->type_name("FILE");
  app.config_formatter(std::make_shared<ConfigFile>(app));
}

}  // namespace ontime::flags
