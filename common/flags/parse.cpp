#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <utility>

#include "common/base/terminal.h"
#include "common/base/wording.h"
#include "common/flags/flags.h"

namespace ontime::flags {
namespace {

// The verb that the arguments chose, and the verb within it; the program itself if they chose none.
const CLI::App& chosen(const CLI::App& app) {
  const auto verbs = app.get_subcommands();
  return verbs.empty() ? app : chosen(*verbs.front());
}

std::vector<std::string> verbs_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(verb->get_name());
  return names;
}

std::string about_unknown(const CLI::App& app, const std::string& argument) {
  if (argument.starts_with('-')) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (app.get_option_no_throw(flag) != nullptr)  // and yet it was not taken
      return "'" + flag + "' stands before the verb; write '" + full_name(app) + " " + flag + "'";
    return "there is no flag '" + flag + "'" +
           did_you_mean(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())), flag_names(app), "--");
  }
  const auto verbs = verbs_of(app);
  if (verbs.empty()) return "'" + argument + "' is one argument too many";
  return "there is no verb '" + argument + "'" + did_you_mean(argument, verbs);
}

// All that is needed and was not given: one complaint instead of one at a time.
std::string about_missing(const CLI::App& app) {
  constexpr std::size_t kVerbsShown = 8;
  std::vector<std::string> missing;
  for (const CLI::Option* option : app.get_options())
    if (option->get_required() && option->count() == 0) missing.push_back(option->get_name());
  if (!missing.empty()) return "missing: " + listed(missing);
  const auto verbs = verbs_of(app);
  return "no verb is given" + (verbs.size() > kVerbsShown ? "" : "; choose one of: " + listed(verbs));
}

// Library texts are only searched for the options that they are about.
std::vector<const CLI::Option*> options_named(const CLI::App& app, const std::string& text) {
  std::vector<std::pair<std::size_t, const CLI::Option*>> found;
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
      const std::size_t end = at + name.size();
      const bool is_whole =
          (at == 0 || text[at - 1] == ' ') && (end == text.size() || text[end] == ' ' || text[end] == ':');
      if (!is_whole) continue;
      found.emplace_back(at, option);
      break;
    }
  }
  std::sort(found.begin(), found.end());
  std::vector<const CLI::Option*> options;
  for (const auto& [at, option] : found) options.push_back(option);
  return options;
}

std::string about_count(const CLI::Option& option) {
  if (option.count() > 1)
    return option.get_name() + " is given " + std::to_string(option.count()) + " times; give it once";
  return option.get_name() + " needs a value" +
         (option.get_type_name().empty() ? std::string() : ": " + option.get_name() + " " + option.get_type_name());
}

std::string about_value(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return option.get_name() + " takes no value";
  return option.get_name() + ": '" + listed(option.results()) + "' is not a number in digits or is out of range";
}

// Errors with a kind of their own in CLI11, in our words.
std::string about_options(const CLI::App& app, const CLI::ParseError& error) {
  const auto options = options_named(app, error.what());
  if (options.empty()) return "these arguments cannot be understood";
  const std::string first = options.front()->get_name();
  const std::string second = options.size() > 1 ? options[1]->get_name() : "another flag";
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
    return first + " excludes " + second + "; give one of them";
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) return first + " needs " + second + " as well";
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return about_value(*options.front());
  return about_count(*options.front());
}

std::string reason(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = chosen(root);
  if (dynamic_cast<const CLI::ValidationError*>(&error) != nullptr) return error.what();  // our own words: flags.h
  if (dynamic_cast<const CLI::FileError*>(&error) != nullptr)
    return "--config: the file '" + root.get_config_ptr()->as<std::string>() + "' cannot be read";
  const auto unknown = root.remaining(true);
  if (!unknown.empty()) return about_unknown(app, unknown.front());
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return about_missing(app);
  return about_options(app, error);
}

// CLI11 looks at the variables of all verbs, and what is wrong with one of another verb is not this one's business.
void forget_variables_of_other_verbs(CLI::App& app, const std::vector<std::string>& arguments) {
  for (CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (std::ranges::find(arguments, verb->get_name()) != arguments.end()) {
      forget_variables_of_other_verbs(*verb, arguments);
    } else {
      for (CLI::Option* option : verb->get_options()) option->envname("");
    }
  }
}

bool is_among(const std::vector<std::string>& arguments, const CLI::Option& option) {
  for (const std::string& argument : arguments) {
    for (const std::string& name : option.get_lnames())
      if (argument == "--" + name || argument.starts_with("--" + name + "=")) return true;
    for (const std::string& name : option.get_snames())
      if (argument.starts_with("-" + name)) return true;
  }
  return false;
}

// A value from the environment is called by its variable, as nobody gave the flag.
std::string by_origin(const CLI::App& app, const std::vector<std::string>& arguments, const std::string& why) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const bool is_set = !option->get_envname().empty() && std::getenv(option->get_envname().c_str()) != nullptr;
    if (is_set && why.starts_with(name + ":") && !is_among(arguments, *option))
      return "$" + option->get_envname() + why.substr(name.size());
  }
  return why;
}

// "help run" is "run --help". There is no help on an unknown verb: that is a complaint, as without --help.
void understand_help(const CLI::App& app, std::vector<std::string>& arguments) {
  if (arguments.empty()) return;
  if (arguments.front() == "help") {
    std::rotate(arguments.begin(), arguments.begin() + 1, arguments.end());
    arguments.back() = "--help";
  }
  const auto verbs = verbs_of(app);
  const bool has_verb = std::find(verbs.begin(), verbs.end(), arguments.front()) != verbs.end();
  if (!verbs.empty() && !has_verb && !arguments.front().starts_with('-')) arguments.resize(1);
}

// An empty argument is a shell variable that nobody set, and would name the current directory.
void refuse_empty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const auto& values = option->results();
    if (option->get_expected_max() > 0 && std::find(values.begin(), values.end(), "") != values.end())
      throw CLI::ValidationError(option->get_name(), "the value is empty; is a variable of the shell not set?");
  }
}

// CLI11 takes a word in brackets for a list of words; for us it is a pattern, or any other text. So it is marked, and
// the mark taken away before anything looks at the value.
constexpr char kMark = '\x01';

std::string without_mark(std::string text) {
  if (text.size() > 1 && text[0] == kMark && text[1] == '[') text.erase(0, 1);
  return text;
}

void take_marks_away(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) option->transform(without_mark);
  for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) take_marks_away(*verb);
}

void keep_brackets(CLI::App& app, std::vector<std::string>& arguments) {
  bool has_any = false;
  for (std::string& argument : arguments) {
    if (!argument.starts_with('[') || !argument.ends_with(']')) continue;
    argument.insert(0, 1, kMark);
    has_any = true;
  }
  if (has_any) take_marks_away(app);
}

}  // namespace

std::vector<std::string> flag_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names, const std::string& before) {
  const std::string near = nearest(word, names);
  return near.empty() ? "" : "; did you mean '" + before + near + "'?";
}

std::optional<Printout> parse(CLI::App& app, std::vector<std::string> arguments) {
  if (!arguments.empty() && arguments.front() == "--complete")
    return Printout{0, completions(app, {arguments.begin() + 1, arguments.end()})};
  understand_help(app, arguments);
  forget_variables_of_other_verbs(app, arguments);
  keep_brackets(app, arguments);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // as CLI11 wants them
    refuse_empty(chosen(app));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    if (error.get_exit_code() == 0) {  // help or version was asked for
      app.exit(error, out, out);
      const bool is_help = dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr;
      return Printout{0, is_help ? wrapped(out.str(), terminal_width(STDOUT_FILENO)) : out.str()};
    }
    const std::string name = full_name(chosen(app));
    const std::string why = by_origin(chosen(app), arguments, reason(app, error));
    return Printout{kBadUsage, complaint(name, why.ends_with('?') ? why : why + "; see '" + name + " --help'")};
  }
}

std::optional<Printout> parse(const std::string& program, const std::string& summary,
                              const std::function<void(CLI::App&)>& declare, std::vector<std::string> arguments) {
  CLI::App app(summary, program);
  declare(app);
  return parse(app, std::move(arguments));
}

void parse_or_exit(CLI::App& app, int argc, char** argv) {
  app.name(program_invocation_short_name);
  add_standard_flags(app, app.get_name());
  const auto printout = parse(app, {argv + 1, argv + argc});
  if (!printout) return;
  std::fputs(printout->text.c_str(), printout->exit_code == 0 ? stdout : stderr);
  std::exit(printout->exit_code);
}

}  // namespace ontime::flags
