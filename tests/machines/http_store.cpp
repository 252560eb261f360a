#include "tests/machines/http_store.h"

#include <optional>

namespace ontime::lab::machines {

void HttpStore::set(const std::string& key, const Object* after) {
  const auto found = objects_.find(key);
  std::optional<Object> before;
  if (found != objects_.end()) before = found->second;
  if (after != nullptr) objects_[key] = *after;
  if (after == nullptr) objects_.erase(key);
  on_change(key, before ? &*before : nullptr, after);
}

}  // namespace ontime::lab::machines
