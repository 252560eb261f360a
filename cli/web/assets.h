#pragma once
// The files in assets/, which CMake puts into the program.

#include <array>
#include <string_view>

namespace ontime::cli::assets {
extern const std::string_view kPageHtml;
extern const std::string_view kDomJs;
extern const std::string_view kChartsJs;
extern const std::string_view kTimelineJs;
extern const std::string_view kOverviewJs;
extern const std::string_view kTablesJs;
extern const std::string_view kPageJs;
extern const std::string_view kPageCss;

struct Script {
  std::string_view file;
  const std::string_view& text;
};
// In the order in which the page runs them.
inline constexpr std::array<Script, 6> kScripts{{{"dom.js", kDomJs},
                                                 {"charts.js", kChartsJs},
                                                 {"timeline.js", kTimelineJs},
                                                 {"overview.js", kOverviewJs},
                                                 {"tables.js", kTablesJs},
                                                 {"page.js", kPageJs}}};
}  // namespace ontime::cli::assets
