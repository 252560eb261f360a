#pragma once
// Calls an application's Merger, turning what it throws into an Error.

#include <span>
#include <string>
#include <string_view>

#include "common/app/application.h"
#include "common/base/result.h"

namespace ontime::cli {

class Folder {
 public:
  // `merger` must outlive this.
  explicit Folder(app::Merger& merger) : merger_(&merger) {}

  // All of `values` (at least one) as one value, valid until the next call or until they go.
  Result<std::string_view> fold(std::string_view key, std::span<const std::string_view> values);
  Status finish(std::string_view key, std::string_view value, app::Output& answer);
  Status finish_all(app::Output& answer);

 private:
  app::Merger* merger_;
  std::string merged_;
};

}  // namespace ontime::cli
