#include "cli/web/report_page.h"

#include <string_view>
#include <utility>

#include "cli/show/job_json.h"
#include "cli/web/assets.h"
#include "common/base/check.h"

namespace ontime::cli {
namespace {

void replace(std::string& page, std::string_view what, const std::string& by) {
  const std::size_t at = page.find(what);
  ONTIME_CHECK(at != std::string::npos, "the page names its script and its style");
  page.replace(at, what.size(), by);
}

// Data that cannot end the element it stands in: "<" is in texts only, where JSON has another way to write it.
std::string inert(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<')
      text += "\\u003c";
    else
      text += c;
  }
  return text;
}

}  // namespace

std::string report_page(const wire::Reply::Job& job, const wire::Reply::Explained& explained) {
  std::string page(assets::kPageHtml);
  replace(page, R"(<link rel="stylesheet" href="page.css">)",
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n<style>\n" +
              std::string(assets::kPageCss) + "</style>");
  std::string scripts;
  for (const auto& [file, text] : assets::kScripts) {
    replace(page, "<script src=\"" + std::string(file) + "\" defer></script>\n", "");
    scripts += "<script>\n" + std::string(text) + "</script>\n";
  }
  const std::string data =
      job_json(job, !job.has_overview(), job.has_overview() ? nullptr : &explained, Layout::Compact);
  replace(page, "</body>",
          "<script type=\"application/json\" id=\"report\">\n" + inert(data) + "</script>\n" + scripts + "</body>");
  return page;
}

}  // namespace ontime::cli
