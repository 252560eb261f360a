#pragma once
// A page about results, as Markdown beside its figures and as one HTML file that needs nothing else.

#include <cstddef>
#include <string>

#include "lab/results/grid.h"

namespace ontime::lab {

std::string markdown_of(const Grid& grid);

class Document {
 public:
  explicit Document(const std::string& title);

  // In the order of the page. What is empty is left out.
  void heading(const std::string& text);
  void text(const std::string& text);  // in the Markdown as it is written, in the HTML a paragraph
  void code(const std::string& text);
  void grid(const Grid& grid);
  // The Markdown shows the file, the HTML has the SVG element.
  void figure(const std::string& title, const std::string& caption, const std::string& file, const std::string& svg);

  const std::string& markdown() const { return markdown_; }
  std::string html() const { return html_ + "</main></body></html>\n"; }

 private:
  std::string markdown_;
  std::string html_;
  std::size_t grids_ = 0;
};

}  // namespace ontime::lab
