#pragma once
// What separates words: the six bytes for which isspace() holds in the C locale. Every other byte, NUL and invalid
// UTF-8 included, is part of a word.

namespace ontime::apps {

constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace ontime::apps
