#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands/execute.h"
#include "cli/show/table.h"
#include "common/app/loaded_application.h"

namespace ontime::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const app::LoadedApplication& loaded) {
  Json parameters = Json::array();
  for (const auto& parameter : loaded.application().parameters())
    parameters.push_back({{"name", parameter.name}, {"default", parameter.default_value}, {"help", parameter.help}});
  return {{"name", loaded.name()},
          {"description", loaded.application().description()},
          {"path", loaded.path()},
          {"merges", loaded.application().make_merger() != nullptr},
          {"sorts", loaded.application().make_order() != nullptr},
          {"parameters", parameters}};
}

std::string text_of(const app::LoadedApplication& loaded) {
  std::string text = loaded.name() + "\n  " + loaded.application().description() + "\n";
  for (const auto& parameter : loaded.application().parameters()) {
    const auto assignment = parameter.name + "=" + parameter.default_value;
    text += "  --set " + assignment + std::string(assignment.size() < 24 ? 24 - assignment.size() : 0, ' ') + "  " +
            parameter.help + "\n";
  }
  return text;
}

}  // namespace

Result<ExitCode> execute(const AppsCommand& command) {
  const auto directories = application_directories(command.application_directories);
  const auto names = app::list_applications(directories);
  Json list = Json::array();
  std::string text;
  for (const auto& name : names) {
    const auto loaded = app::LoadedApplication::load(name, directories, app::Keeper{geteuid(), getegid()});
    if (!loaded) {
      std::fprintf(stderr, "ontime apps: %s\n", loaded.error().message.c_str());
      continue;
    }
    list.push_back(json_of(*loaded));
    text += (text.empty() ? "" : "\n") + text_of(*loaded);
  }
  if (command.json) {
    // A path may be no UTF-8.
    text = Json({{"applications", std::move(list)}}).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  } else if (names.empty()) {
    text = "no applications in";
    for (const auto& directory : directories) text += " " + directory;
    text += "; name another directory with --app-dir\n";
  }
  std::fputs(text.c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace ontime::cli
