#pragma once
// JSON in steps of 64 bytes, a bit for each byte: what is a string, and where values begin. Half a dozen operations on
// words take the place of 64 looks at bytes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace ontime::records {

struct JsonBits {
  std::uint64_t begins = 0;      // of strings, numbers, words, arrays and objects
  std::uint64_t follow = 0;      // of begins: those that stand behind , : [ { or such a byte and one blank
  std::uint64_t words = 0;       // of begins: those of numbers and words
  std::uint64_t open = 0;        // [ {
  std::uint64_t close = 0;       // ] }
  std::uint64_t impossible = 0;  // a line feed in a string, a backslash outside of one
};

class JsonScanner {
 public:
  static constexpr std::size_t kStep = 64;

  explicit JsonScanner(bool in_string = false, bool is_escaped = false)
      : in_string_(in_string ? ~std::uint64_t{0} : 0), is_escaped_(is_escaped ? 1 : 0) {}

  // What is missing behind the end counts as blanks.
  JsonBits next(std::string_view bytes) {
    if (bytes.size() >= kStep) return next_of(bytes.data());
    char padded[kStep];
    std::memset(padded, ' ', kStep);
    if (!bytes.empty()) std::memcpy(padded, bytes.data(), bytes.size());
    return next_of(padded);
  }

 private:
  struct Classes {
    std::uint64_t quote = 0, backslash = 0, feed = 0, blank = 0, open = 0, close = 0, separator = 0;
  };

  static Classes classes_of(const char* bytes) {
    Classes found;
#if defined(__SSE2__)
    for (int part = 0; part < 4; ++part) {
      const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
      const __m128i lower = _mm_or_si128(text, _mm_set1_epi8(0x20));
      const auto is = [](__m128i of, char byte) { return _mm_cmpeq_epi8(of, _mm_set1_epi8(byte)); };
      const auto put = [&](std::uint64_t& to, __m128i mask) {
        to |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(mask))) << (16 * part);
      };
      const __m128i feed = is(text, '\n');
      put(found.quote, is(text, '"'));
      put(found.backslash, is(text, '\\'));
      put(found.feed, feed);
      put(found.blank, _mm_or_si128(_mm_or_si128(feed, is(text, ' ')), _mm_or_si128(is(text, '\t'), is(text, '\r'))));
      put(found.open, is(lower, '{'));
      put(found.close, is(lower, '}'));
      put(found.separator, _mm_or_si128(is(text, ','), is(text, ':')));
    }
#else
    for (std::size_t i = 0; i < kStep; ++i) {
      const char byte = bytes[i];
      const auto put = [&](std::uint64_t& to, bool is) { to |= static_cast<std::uint64_t>(is) << i; };
      put(found.quote, byte == '"');
      put(found.backslash, byte == '\\');
      put(found.feed, byte == '\n');
      put(found.blank, byte == '\n' || byte == ' ' || byte == '\t' || byte == '\r');
      put(found.open, byte == '[' || byte == '{');
      put(found.close, byte == ']' || byte == '}');
      put(found.separator, byte == ',' || byte == ':');
    }
#endif
    return found;
  }

  // The bytes behind a backslash that is not behind one itself.
  std::uint64_t escaped_by(std::uint64_t backslash) {
    std::uint64_t escaped = is_escaped_;
    std::uint64_t left = backslash & ~escaped;
    is_escaped_ = 0;
    while (left != 0) {
      const std::uint64_t first = left & -left;
      const std::uint64_t next = first << 1;
      if (next == 0) is_escaped_ = 1;
      escaped |= next;
      left &= ~(first | next);
    }
    return escaped;
  }

  static std::uint64_t prefix_xor(std::uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
  }

  JsonBits next_of(const char* bytes) {
    const Classes of = classes_of(bytes);
    const std::uint64_t escaped = of.backslash != 0 || is_escaped_ != 0 ? escaped_by(of.backslash) : 0;
    const std::uint64_t quote = of.quote & ~escaped;
    const std::uint64_t string = prefix_xor(quote) ^ in_string_;  // with its first quote, without its last one
    in_string_ = string >> 63 != 0 ? ~std::uint64_t{0} : 0;
    const std::uint64_t outside = ~(string | quote);
    const std::uint64_t blank = of.blank & outside;
    const std::uint64_t lead = (of.separator | of.open) & outside;
    const std::uint64_t word = outside & ~(blank | lead | of.close);
    const std::uint64_t behind_lead = lead << 1 | was_lead_;
    const std::uint64_t spaced = behind_lead & blank;
    JsonBits bits;
    bits.open = of.open & outside;
    bits.close = of.close & outside;
    bits.words = word & ~(word << 1 | was_word_);
    bits.begins = (quote & string) | bits.open | bits.words;
    bits.follow = bits.begins & (behind_lead | spaced << 1 | was_spaced_);
    bits.impossible = (of.feed & string) | (of.backslash & outside);
    was_lead_ = lead >> 63;
    was_spaced_ = spaced >> 63;
    was_word_ = word >> 63;
    return bits;
  }

  std::uint64_t in_string_;   // all ones, or none
  std::uint64_t is_escaped_;  // whether the next byte is: 1 or 0, as those below of the last byte
  std::uint64_t was_lead_ = 0;
  std::uint64_t was_spaced_ = 0;
  std::uint64_t was_word_ = 0;
};

}  // namespace ontime::records
