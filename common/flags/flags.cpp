#include "common/flags/flags.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <iterator>
#include <memory>
#include <sstream>
#include <utility>

#include "common/base/units.h"
#include "common/base/version.h"
#include "common/base/wording.h"

namespace ontime::flags {
namespace {

// Defaults as one would type them: "5s", "200ms", "64MiB".
std::string shown(Duration duration) {
  if (duration.count() == 0) return "off";
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + "s" : std::to_string(ms) + "ms";
}

std::string shown(std::uint64_t bytes) { return std::to_string(bytes >> 20) + "MiB"; }

// Options as `-o,--output DIR`, defaults behind their description.
class Formatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const bool has_value = option->get_type_size() != 0 && !option->get_type_name().empty();
    return has_value ? " " + option->get_type_name() : "";
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    const auto& value = option->get_default_str();
    return option->get_description() + (value.empty() ? "" : " (default " + value + ")");
  }
};

// `names` as CLI11 takes them, such as "-o,--output", of which the last one is shown.
[[noreturn]] void refuse(const std::string& names, const std::string& why) {
  throw CLI::ValidationError(names.substr(names.rfind(',') + 1), why);
}

template <class T>
T taken(const std::string& names, Result<T> value) {
  if (!value) refuse(names, value.error().message);
  return *value;
}

template <class Value>  // Duration, or one that may be left out
CLI::Option* add_duration_to(CLI::App& app, const std::string& name, Value& value, const std::string& help,
                             Duration least) {
  const auto read = [name, &value, least](const std::string& text) {
    const Duration given = taken(name, parse_duration(text));
    if (given < least) refuse(name, "'" + text + "' is too short; give " + shown(least) + " or more");
    value = given;
  };
  return app.add_option_function<std::string>(name, read, help)->type_name("TIME");
}

}  // namespace

void add_standard_flags(CLI::App& app, const std::string& program) {
  const auto formatter = std::make_shared<Formatter>();
  formatter->column_width(kHelpColumn);
  app.formatter(formatter);
  app.set_version_flag("-V,--version", version_of(program), "Print the version and how the program was built");
  const auto print = [&app, program] { throw CLI::CallForVersion(man_page(app, program), 0); };
  app.add_flag_callback("--man", print, "Print the manual page")->configurable(false);
}

CLI::Option* describe(CLI::Option* option, const About& about) {
  if (!about.choices.empty()) option->check(one_of(about.choices));
  if (!about.environment.empty()) option->envname(about.environment);
  if (!about.type.empty()) option->type_name(about.type);
  if (about.shows_value) option->capture_default_str();
  if (about.shown) option->default_str(*about.shown);
  return option->configurable(about.configurable);
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value, const std::string& help,
                      const About& about) {
  return describe(app.add_option(name, value, help), about);
}

CLI::Option* add_texts(CLI::App& app, const std::string& name, std::vector<std::string>& values,
                       const std::string& help, const About& about, bool takes_one) {
  auto* option = describe(app.add_option(name, values, help), about);
  return takes_one ? option->allow_extra_args(false) : option->take_all();
}

CLI::Option* add_switch(CLI::App& app, const std::string& name, bool& value, const std::string& help,
                        const About& about) {
  return describe(app.add_flag(name, value, help), about);
}

CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& value, const std::string& help,
                      std::uint64_t least) {
  const auto read = [name, &value, least](const std::string& text) {
    const std::uint64_t given = taken(name, parse_size(text));
    if (given < least) refuse(name, "'" + text + "' is too small; give " + format_size(least) + " or more");
    value = given;
  };
  auto* option = app.add_option_function<std::string>(name, read, help)->type_name("SIZE");
  return value == 0 ? option : option->default_str(shown(value));
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value, const std::string& help,
                          Duration least) {
  return add_duration_to(app, name, value, help, least)->default_str(shown(value));
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& value,
                          const std::string& help, Duration least) {
  return add_duration_to(app, name, value, help, least);
}

CLI::Option* add_number(CLI::App& app, const std::string& name, double& value, double least, double most,
                        const std::string& help) {
  const auto read = [name, &value, least, most](const std::string& text) {
    value = taken(name, parse_number(text, least, most));
  };
  return app.add_option_function<std::string>(name, read, help)->type_name("NUMBER");
}

CLI::Option* add_settings(CLI::App& app, const std::string& name, Settings& settings, const std::string& help) {
  const auto read = [name, &settings](const std::vector<std::string>& texts) {
    for (const auto& text : texts) {
      const auto equals = text.find('=');
      if (equals == std::string::npos || equals == 0) refuse(name, "'" + text + "' is not KEY=VALUE");
      const std::string key = text.substr(0, equals);
      const bool is_new = settings.emplace(key, text.substr(equals + 1)).second;
      if (!is_new) refuse(name, "'" + key + "' is given twice; give it once");
    }
  };
  auto* option = app.add_option_function<std::vector<std::string>>(name, read, help);
  return option->type_name("KEY=VALUE")->allow_extra_args(false);
}

CLI::Option* add_whole(CLI::App& app, const std::string& name, std::function<void(std::uint64_t)> put, Range range,
                       const std::string& help) {
  const auto read = [name, put = std::move(put), range](const std::string& text) {
    put(taken(name, parse_whole(text, range.least, range.most)));
  };
  return app.add_option_function<std::string>(name, read, help)->type_name("N");
}

// A validator's name carries its choices: CLI11 has no place of its own for them.
CLI::Validator one_of(std::vector<std::string> choices) {
  const std::string names = CLI::detail::join(choices, " ");
  return CLI::Validator(
      [choices = std::move(choices)](std::string& text) {
        if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::string();
        return "'" + text + "' is not one of: " + listed(choices);
      },
      "", names);
}

CLI::Validator readable_file() {
  return CLI::Validator(
      [](std::string& path) {
        return access(path.c_str(), R_OK) == 0 ? "" : "'" + path + "' cannot be read: " + std::strerror(errno);
      },
      "");
}

CLI::Validator offering(const std::vector<std::string>& choices) {
  return CLI::Validator([](std::string&) { return std::string(); }, "", CLI::detail::join(choices, " "));
}

std::vector<std::string> choices_of(CLI::Option& option) {
  try {
    std::istringstream names(option.get_validator()->get_name());
    return {std::istream_iterator<std::string>(names), {}};
  } catch (const CLI::OptionNotFound&) {  // CLI11's way to say that it has no validator
    return {};
  }
}

}  // namespace ontime::flags
