#include "apps/termvector/term_vector.h"

#include <charconv>
#include <stdexcept>

#include "apps/text/sum_merger.h"
#include "apps/text/text_output.h"

namespace ontime::apps {
namespace {

// Takes the first `term:count` from `rest`.
std::pair<std::string_view, std::uint64_t> take_term(std::string_view key, std::string_view& rest) {
  const std::string_view pair = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
  const std::size_t colon = pair.rfind(':');
  if (colon == std::string_view::npos) {
    throw std::runtime_error("the terms of \"" + std::string(key) + "\" hold \"" + std::string(pair.substr(0, 40)) +
                             "\", which has no count; the part files were not written by this application");
  }
  return {pair.substr(0, colon), parse_count(key, pair.substr(colon + 1))};
}

}  // namespace

std::uint64_t parse_cutoff(const std::string& text) {
  std::uint64_t cutoff = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), cutoff);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument("cutoff must be a whole number, not \"" + text + "\"");
  }
  return cutoff;
}

void TermVectorMerger::merge(std::string_view key, std::span<const std::string_view> values, std::string& merged) {
  for (std::string_view rest : values) {
    while (!rest.empty()) {
      const auto [term, count] = take_term(key, rest);
      std::uint64_t& sum = counts_[term];
      if (__builtin_add_overflow(sum, count, &sum)) throw_sum_overflow(key);
    }
  }
  terms_.clear();
  for (const auto& [term, count] : counts_) terms_.add(term, count);
  TextOutput out(merged);
  terms_.write(out);
  out.finish();
  counts_.clear();
}

void TermVectorMerger::finish(std::string_view key, std::string_view value, app::Output& answer) {
  std::size_t kept = value.size();
  if (cutoff_ > 1) {  // most frequent first: everything behind the first rare term is rare
    for (std::string_view rest = value; !rest.empty();) {
      const auto at = static_cast<std::size_t>(rest.data() - value.data());
      if (take_term(key, rest).second >= cutoff_) continue;
      kept = at == 0 ? 0 : at - 1;  // and the blank before it
      break;
    }
  }
  if (kept > 0) answer.record(key, value.substr(0, kept));
}

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
