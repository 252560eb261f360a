#include <CLI/CLI.hpp>
#include <sstream>

#include "common/flags/flags.h"

namespace ontime::flags {
namespace {

// Roff reads a backslash anywhere, and a dot or an apostrophe at the begin of a line, as its own.
std::string roff(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return safe.starts_with('.') || safe.starts_with('\'') ? "\\&" + safe : safe;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

// Lines that are indented stay as they are; the others are paragraphs.
std::string footer(const std::string& text) {
  std::string page;
  bool is_example = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    if (line.starts_with("  ") != is_example) page += (is_example = !is_example) ? ".PP\n.nf\n" : ".fi\n";
    page += (is_example ? "" : ".PP\n") + roff(line) + "\n";
  }
  return page + (is_example ? ".fi\n" : "");
}

std::string names_of(const CLI::Option& option) {
  if (option.get_positional()) return bold(option.get_name());
  std::string text;
  for (const std::string& name : option.get_snames()) text += bold("-" + name) + ", ";
  for (const std::string& name : option.get_lnames()) text += bold("--" + name) + ", ";
  text.resize(text.size() - 2);
  return option.get_type_name().empty() || option.get_expected_max() == 0 ? text
                                                                          : text + " " + italic(option.get_type_name());
}

std::string options(const CLI::App& app) {
  std::string page;
  for (const CLI::Option* option : app.get_options()) {
    const std::string& usual = option->get_default_str();
    page += ".TP\n" + names_of(*option) + "\n" +
            roff(option->get_description() + (usual.empty() ? "" : " (default " + usual + ")")) + "\n";
  }
  return page;
}

std::string usage(const CLI::App& app) {
  std::string text = bold(full_name(app));
  if (!app.get_subcommands({}).empty()) text += " " + italic("VERB");
  text += " [" + italic("OPTIONS") + "]";
  for (const CLI::Option* option : app.get_options([](const CLI::Option* any) { return any->get_positional(); }))
    text += " " + italic(option->get_name()) + (option->get_expected_max() > 1 ? " ..." : "");
  return text;
}

std::string verbs(const CLI::App& app) {
  std::string page;
  for (const CLI::App* verb : app.get_subcommands({})) {
    page += ".SS " + full_name(*verb) + "\n" + roff(verb->get_description()) + ".\n.PP\n" + usage(*verb) + "\n" +
            options(*verb) + footer(verb->get_footer()) + verbs(*verb);
  }
  return page;
}

}  // namespace

std::string full_name(const CLI::App& app) {
  return (app.get_parent() == nullptr ? "" : full_name(*app.get_parent()) + " ") + app.get_name();
}

std::string man_page(const CLI::App& app, const std::string& program) {
  const std::string of_verbs = verbs(app);
  return ".TH \"" + program + "\" 1 \"\" \"Ontime " ONTIME_VERSION "\" \"Ontime\"\n.SH NAME\n" + roff(program) +
         " \\- " + roff(app.get_description()) + "\n.SH SYNOPSIS\n" + usage(app) + "\n.SH OPTIONS\n" + options(app) +
         (of_verbs.empty() ? "" : ".SH VERBS\n" + of_verbs) + ".SH NOTES\n" + footer(app.get_footer());
}

}  // namespace ontime::flags
