#include "lab/results/document.h"

namespace ontime::lab {
namespace {

constexpr const char* kStyle =
    "body{font:16px/1.5 sans-serif;max-width:62em;margin:2em auto;padding:0 1em;color:#222}"
    "table{border-collapse:collapse;margin:1em 0}th,td{padding:.2em .7em;text-align:right;border-bottom:1px solid #ddd}"
    "th:first-child,td:first-child{text-align:left}th{border-bottom:2px solid #888}"
    "figure{margin:2em 0}figcaption{color:#444;font-size:.9em}svg{max-width:100%;height:auto}"
    "pre{background:#f6f6f6;padding:1em;overflow:auto}.scroll{overflow-x:auto}";

// On a phone, what is wide scrolls within its place, by the keyboard too.
std::string scrolling(const std::string& name, const std::string& content) {
  return "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + name + "\">\n" + content + "</div>\n";
}

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += c;
  }
  return safe;
}

std::string element(const std::string& tag, const std::string& content) {
  return "<" + tag + ">" + content + "</" + tag + ">";
}

std::string markdown_line(const Cells& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string html_line(const Cells& cells, const char* tag) {
  std::string text;
  for (const std::string& cell : cells) text += element(tag, cell == "-" ? "&ndash;" : escaped(cell));
  return element("tr", text) + "\n";
}

}  // namespace

std::string markdown_of(const Grid& grid) {
  Cells rule(grid.titles.size(), "---:");
  for (std::size_t i = 0; i < grid.names; ++i) rule[i] = "---";
  std::string text = markdown_line(grid.titles) + markdown_line(rule);
  for (const Cells& line : grid.lines) text += markdown_line(line);
  return text;
}

Document::Document(const std::string& title)
    : markdown_("# " + title + "\n"),
      html_("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">" +
            element("title", escaped(title)) +
            "\n" + element("style", kStyle) + "</head><body><main>\n" + element("h1", escaped(title)) + "\n") {}

void Document::heading(const std::string& text) {
  markdown_ += "\n## " + text + "\n";
  html_ += element("h2", escaped(text)) + "\n";
}

void Document::text(const std::string& text) {
  if (text.empty()) return;
  markdown_ += "\n" + text + (text.back() == '\n' ? "" : "\n");
  html_ += element("p", escaped(text)) + "\n";
}

void Document::code(const std::string& text) {
  markdown_ += "\n    ";
  for (const char c : text) markdown_ += c == '\n' ? std::string("\n    ") : std::string(1, c);
  markdown_ += "\n";
  html_ += "<pre tabindex=\"0\">" + escaped(text) + "</pre>\n";
}

void Document::grid(const Grid& grid) {
  if (grid.lines.empty()) return;
  markdown_ += "\n" + markdown_of(grid);
  std::string lines = html_line(grid.titles, "th");
  for (const Cells& line : grid.lines) lines += html_line(line, "td");
  html_ += scrolling("table " + std::to_string(++grids_), element("table", "\n" + lines));
}

void Document::figure(const std::string& title, const std::string& caption, const std::string& file,
                      const std::string& svg) {
  markdown_ += "\n![" + title + "](" + file + ")\n" + (caption.empty() ? "" : "\n" + caption + "\n");
  html_ +=
      element("figure", element("h2", escaped(title)) + "\n" + svg + "\n" + element("figcaption", escaped(caption))) +
      "\n";
}

}  // namespace ontime::lab
