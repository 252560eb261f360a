#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "common/flags/flags.h"

namespace ontime::flags {
namespace {

// Where in the grammar a command line has got to.
struct CommandPosition {
  CLI::App* app = nullptr;          // the program, or the verb that was given
  CLI::Option* value_of = nullptr;  // a flag whose value comes next
  std::size_t arguments = 0;        // given so far, apart from flags
};

CommandPosition place_behind(CLI::App& root, const std::vector<std::string>& words) {
  CommandPosition place{.app = &root};
  for (const std::string& word : words) {
    if (std::exchange(place.value_of, nullptr) != nullptr) continue;
    if (word.starts_with('-')) {
      CLI::Option* option = place.app->get_option_no_throw(word);
      if (option != nullptr && option->get_expected_max() > 0) place.value_of = option;
      continue;
    }
    const auto verbs = place.app->get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; });
    if (verbs.empty())
      ++place.arguments;
    else
      place.app = verbs.front();
  }
  return place;
}

// One line for each candidate that begins with what was typed.
class Candidates {
 public:
  explicit Candidates(std::string typed) : typed_(std::move(typed)) {}
  void add(const std::string& word, const std::string& description) {
    if (word.starts_with(typed_)) text_ += word + "\t" + description + "\n";
  }
  void add_choices(CLI::Option& option, const std::string& before = "") {
    for (const std::string& choice : choices_of(option)) add(before + choice, option.get_description());
  }
  void add_flags(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options())
      for (const std::string& name : option->get_lnames()) add("--" + name, option->get_description());
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string typed_;
  std::string text_;
};

}  // namespace

std::string completions(CLI::App& app, std::vector<std::string> words) {
  if (words.empty()) words.emplace_back();
  if (words.back() == "=") words.emplace_back();
  std::erase(words, "=");  // bash makes a word of its own of it
  const std::string typed = std::move(words.back());
  words.pop_back();
  const bool wants_help = !words.empty() && words.front() == "help";
  if (wants_help) words.erase(words.begin());
  const CommandPosition place = place_behind(app, words);
  Candidates candidates(typed);
  if (place.value_of != nullptr) {
    candidates.add_choices(*place.value_of);
  } else if (const auto equals = typed.find('='); typed.starts_with("--") && equals != std::string::npos) {
    CLI::Option* option = place.app->get_option_no_throw(typed.substr(0, equals));
    if (option != nullptr) candidates.add_choices(*option, typed.substr(0, equals + 1));
  } else if (typed.starts_with('-')) {
    candidates.add_flags(*place.app);
  } else {
    for (const CLI::App* verb : place.app->get_subcommands([](const CLI::App*) { return true; }))
      candidates.add(verb->get_name(), verb->get_description());
    const auto arguments = place.app->get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (!wants_help && !arguments.empty())
      candidates.add_choices(*arguments[std::min(place.arguments, arguments.size() - 1)]);
  }
  return std::move(candidates).text();
}

}  // namespace ontime::flags
