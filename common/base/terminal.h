#pragma once
// What there is to know of a terminal.

#include <cstddef>

namespace ontime {

// Columns and lines of the terminal; $COLUMNS and $LINES go before. 0: it is none, or it does not say.
std::size_t terminal_width(int descriptor);
std::size_t terminal_height(int descriptor);

}  // namespace ontime
