#include "apps/termvector/document.h"

namespace ontime::apps {

void LineTerms::write(app::Output& out) {
  std::array<std::int64_t, kMaxTerms> keys;
  std::array<std::uint32_t, kMaxTerms> order;
  for (std::size_t i = 0; i < size_; ++i) keys[i] = order_key(heads_[i], terms_[i].count);
  const std::span<std::uint32_t> places(order.data(), size_);
  order_terms(terms(), {keys.data(), size_}, places);
  write_terms(terms(), places, Padding::SixteenBytes, out);
}

void LineTerms::clear() {
  size_ = 0;
  if (++document_ == 0) {  // after four billion documents the numbers come again
    slots_.fill({});
    document_ = 1;
  }
}

}  // namespace ontime::apps
