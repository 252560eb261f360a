#pragma once
// The files in assets/, which CMake puts into the program.

#include <string_view>

namespace ontime::cli::assets {

extern const std::string_view kPageHtml;
extern const std::string_view kPageJs;
extern const std::string_view kPageCss;

}  // namespace ontime::cli::assets
