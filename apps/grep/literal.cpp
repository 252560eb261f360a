#include "apps/grep/literal.h"

#include <cstring>

namespace ontime::apps {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;

// Low for what is rare in texts, code and tables.
std::size_t commonness(char byte) {
  constexpr std::string_view kRareToCommon =
      "ZQXJKVzqxj9876543YWGUFBHP2DMNOLRCI0SAET1kvbywgpfmu\"_./,-cdhlrsniota\t e\n\r";
  const std::size_t place = kRareToCommon.find(byte);
  return place == kNowhere ? 0 : place + 1;
}

#ifdef __x86_64__

// Bytes behind the last whole block are left to who calls: returns where those begin, if nothing was found before.
ONTIME_TARGET_AVX2 std::size_t find_avx2(std::string_view bytes, std::size_t from, std::string_view text,
                                         std::size_t rare, std::size_t other, std::size_t& rest) {
  const __m256i first = _mm256_set1_epi8(text[rare]), second = _mm256_set1_epi8(text[other]);
  constexpr std::size_t kStep = sizeof(__m256i);
  for (; from + text.size() + kStep <= bytes.size() + 1; from += kStep) {
    const auto* const firsts = reinterpret_cast<const __m256i*>(bytes.data() + from + rare);
    const auto* const seconds = reinterpret_cast<const __m256i*>(bytes.data() + from + other);
    const __m256i both = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_loadu_si256(firsts), first),
                                          _mm256_cmpeq_epi8(_mm256_loadu_si256(seconds), second));
    for (auto mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(both)); mask != 0; mask &= mask - 1) {
      const std::size_t at = from + static_cast<std::size_t>(std::countr_zero(mask));
      if (std::memcmp(bytes.data() + at, text.data(), text.size()) == 0) return at;
    }
  }
  rest = from;
  return kNowhere;
}

#endif

// Behind a class such as [^]a[:digit:]], whose [ stands at `at`.
std::size_t class_end(std::string_view pattern, std::size_t at) {
  ++at;
  if (pattern.substr(at).starts_with('^')) ++at;
  for (bool is_first = true; at < pattern.size(); is_first = false) {
    if (pattern[at] == ']' && !is_first) return at + 1;
    const std::size_t name_end = pattern.substr(at).starts_with("[:") ? pattern.find(":]", at) : kNowhere;
    at = name_end != kNowhere ? name_end + 2 : at + (pattern[at] == '\\' ? 2 : 1);
  }
  return kNowhere;
}

std::size_t behind_brace(std::string_view pattern, std::size_t at) {
  const std::size_t brace = pattern.find('}', at);
  return brace == kNowhere ? kNowhere : brace + 1;
}

// Behind an escape that is no single byte of punctuation, and whose letter stands at `at`.
std::size_t escape_end(std::string_view pattern, std::size_t at) {
  const char letter = pattern[at++];
  const bool has_more = letter == 'p' || letter == 'P' || letter == 'x';
  if (has_more && pattern.substr(at).starts_with('{')) return behind_brace(pattern, at);
  if (has_more) return at + (letter == 'x' ? 2 : 1);
  while (letter >= '0' && letter <= '9' && at < pattern.size() && pattern[at] >= '0' && pattern[at] <= '9') ++at;
  return at;
}

bool is_punctuation(char byte) {
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
         (byte >= '{' && byte <= '~');
}

// Takes the texts in a row out of a pattern, outside of its groups, and keeps the longest.
class LiteralFinder {
 public:
  explicit LiteralFinder(std::string_view pattern) : pattern_(pattern) {}

  std::string find() {
    while (at_ < pattern_.size()) {
      if (!step()) return {};
    }
    end_run();
    return longest_;
  }

 private:
  // False: it has alternatives, or something that is not understood.
  bool step() {
    const char byte = pattern_[at_];
    if (byte == '|' && depth_ == 0) return false;
    switch (byte) {
      case '\\':
        return escape();
      case '[':
        return skip_to(class_end(pattern_, at_));
      case '{':
        drop_last();
        return skip_to(behind_brace(pattern_, at_));
      case '*':
      case '?':
        drop_last();
        break;
      case '(':
        if (pattern_.substr(at_).starts_with("(?")) return false;
        ++depth_;
        break;
      case ')':
        --depth_;
        break;
      case '+':
      case '.':
      case '^':
      case '$':
      case '|':
        break;
      default:
        if (depth_ == 0) run_ += byte;
        return ++at_, true;
    }
    end_run();
    return ++at_, true;
  }

  bool escape() {
    if (++at_ == pattern_.size() || pattern_[at_] == 'Q') return false;
    if (!is_punctuation(pattern_[at_]) || pattern_[at_] == '_') return skip_to(escape_end(pattern_, at_));
    if (depth_ == 0) run_ += pattern_[at_];
    return ++at_, true;
  }
  bool skip_to(std::size_t end) {
    end_run();
    at_ = end;
    return end != kNowhere;
  }
  // What is repeated may be missing: a whole character of UTF-8.
  void drop_last() {
    while (!run_.empty() && (run_.back() & 0xc0) == 0x80) run_.pop_back();
    if (!run_.empty()) run_.pop_back();
  }
  void end_run() {
    if (run_.size() > longest_.size()) longest_ = run_;
    run_.clear();
  }

  const std::string_view pattern_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string run_, longest_;
};

}  // namespace

Literal::Literal(std::string text, InstructionSet set)
    : text_(std::move(text)), has_avx2_(set >= InstructionSet::Avx2) {
  other_ = text_.size() - 1;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (commonness(text_[i]) < commonness(text_[rare_])) rare_ = i;
  }
  if (other_ == rare_) other_ = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (i != rare_ && commonness(text_[i]) < commonness(text_[other_])) other_ = i;
  }
}

std::size_t Literal::find(std::string_view bytes, std::size_t from) const {
#ifdef __x86_64__
  if (has_avx2_ && text_.size() > 1) {
    const std::size_t found = find_avx2(bytes, from, text_, rare_, other_, from);
    if (found != kNowhere) return found;
  }
#endif
  if (from >= bytes.size()) return kNowhere;
  const void* const at = memmem(bytes.data() + from, bytes.size() - from, text_.data(), text_.size());
  return at == nullptr ? kNowhere : static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data());
}

std::string required_literal(std::string_view pattern) { return LiteralFinder(pattern).find(); }

}  // namespace ontime::apps
