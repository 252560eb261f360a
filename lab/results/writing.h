#pragma once
// The pieces that tables, pages and figures are written from, so that all of them look alike.

#include <cstddef>
#include <string>
#include <vector>

namespace ontime::lab {

std::string fixed(double value, int digits);       // "0.930"; "-" if it is NaN
std::string percent(double share, int digits);     // "12.5 %"; "-" if it is NaN
std::string number(double value, int digits = 6);  // as short as these significant digits allow; "" if it is NaN

// Comma-separated text: a line of it, in which cells are quoted that have to be,
std::string csv_line(const std::vector<std::string>& cells);
// and the cells of the line that begins at `at`, which is moved behind it. Quoted cells may hold line ends.
std::vector<std::string> next_csv_line(const std::string& text, std::size_t& at);

}  // namespace ontime::lab
