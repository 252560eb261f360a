#include <cstring>

#include "common/http/store.h"

namespace ontime::http {

Content content_of(std::string_view bytes) {
  return {bytes.size(), [bytes](std::uint64_t offset, std::size_t size, char* to) {
            std::memcpy(to, bytes.data() + offset, size);
            return true;
          }};
}

}  // namespace ontime::http
