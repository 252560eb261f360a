#pragma once
// A store that speaks S3: one bucket with pages of objects, ranges, versions, conditional writes, copies and removals.
// Signatures are not looked at.

#include <string>

#include "tests/machines/http_store.h"

namespace ontime::lab::machines {

class ObjectStore final : public HttpStore {
 public:
  static constexpr const char* kBucket = "lab";

  using HttpStore::HttpStore;
  void name_in_environment() const override;
  void put(const std::string& key, std::string bytes) override;

 private:
  HttpAnswer perform(const HttpRequest& request, bool is_late) override;
  HttpAnswer refusal(int status) const override;
  HttpAnswer list(const HttpRequest& request) const;
  HttpAnswer read(const HttpRequest& request, const std::string& key) const;
  HttpAnswer write(const HttpRequest& request, const std::string& key, bool is_late);
};

}  // namespace ontime::lab::machines
