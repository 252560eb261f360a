#include <exception>

#include "cli/result/value_table.h"

namespace ontime::cli {
namespace {

constexpr std::size_t kKeyShown = 80;

Error cannot_merge(std::string_view key, const std::exception& exception) {
  return failed("the values of key '" + std::string(key.substr(0, kKeyShown)) +
                "' cannot be merged: " + exception.what() + "; 'ontime verify' tells whether the output is damaged");
}

}  // namespace

Result<std::string_view> Folder::fold(std::string_view key, std::span<const std::string_view> values) {
  if (values.size() == 1) return values.front();
  try {
    merged_.clear();
    merger_->merge(key, values, merged_);
  } catch (const std::exception& exception) {
    return cannot_merge(key, exception);
  }
  return std::string_view(merged_);
}

Status Folder::finish(std::string_view key, std::string_view value, app::Output& answer) {
  try {
    merger_->finish(key, value, answer);
  } catch (const std::exception& exception) {
    return cannot_merge(key, exception);
  }
  return {};
}

Status Folder::finish_all(app::Output& answer) {
  try {
    merger_->finish_all(answer);
  } catch (const std::exception& exception) {
    return failed(std::string("the answer cannot be finished: ") + exception.what());
  }
  return {};
}

}  // namespace ontime::cli
