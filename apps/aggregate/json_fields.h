#pragma once
// Fields of JSON objects by their names, through simdjson.

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ontime::apps {

class JsonFields {
 public:
  // `a.b` is the member b of the object a.
  explicit JsonFields(const std::vector<std::string>& fields);
  ~JsonFields();

  // The values of one object: the text of a string, of others as it stands; what is missing or null is empty. They are
  // valid until the next call, as long as the record is. Up to `readable_end` may be read. Empty if all is well,
  // otherwise what is wrong.
  std::string divide(std::string_view record, const char* readable_end, std::span<std::string_view> values);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::vector<std::vector<std::string>> paths_;
};

}  // namespace ontime::apps
