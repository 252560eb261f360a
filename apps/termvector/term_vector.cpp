#include "apps/termvector/term_vector.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include "apps/text/counts.h"
#include "apps/text/text_output.h"

namespace ontime::apps {
bool comes_before(const Term& a, const Term& b) { return a.count != b.count ? a.count > b.count : a.text < b.text; }

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

void TermVector::write(app::Output& out) {
  constexpr std::size_t many = 64;  // terms for which room is made together
  std::sort(terms_.begin(), terms_.end(), comes_before);
  for (std::size_t first = 0; first < terms_.size(); first += many) {
    const auto some = std::span<const Term>(terms_).subspan(first, std::min(many, terms_.size() - first));
    std::size_t room = 0;
    for (const Term& term : some) room += term.text.size() + kTermExtra;
    char* const begin = out.reserve(room);
    char* to = begin;
    for (const Term& term : some) to = write_term(to, term, Padding::None);
    const bool is_last = first + some.size() == terms_.size();
    out.commit(static_cast<std::size_t>(to - begin) - (is_last ? 1 : 0));
  }
}

}  // namespace ontime::apps
