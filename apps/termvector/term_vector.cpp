#include "apps/termvector/term_vector.h"

namespace ontime::apps {

void TermVector::clear() {
  terms_.clear();
  keys_.clear();
}

void TermVector::add(std::string_view term, std::uint64_t count) {
  terms_.push_back({term, count});
  keys_.push_back(order_key(term_bytes(term, 0), count));
}

void TermVector::write(app::Output& out) {
  order_.resize(terms_.size());
  order_terms(terms_, keys_, order_);
  write_terms(terms_, order_, Padding::None, out);
}

}  // namespace ontime::apps
