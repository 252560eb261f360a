#pragma once
// The pieces that tables, pages and figures are written from, so that all of them look alike.

#include <string>

namespace ontime::lab {

std::string fixed(double value, int digits);       // "0.930"; "-" if it is NaN
std::string number(double value, int digits = 6);  // as short as these significant digits allow; "" if it is NaN
std::string shortest(double value);                // as short as reads back to the same value

// A field of comma-separated text: quoted if it has to be.
std::string csv_field(const std::string& text);

// For scripts of gnuplot.
std::string plot_text(const std::string& text);  // in quotes
std::string plot_number(double value);           // "NaN" where nothing is to be drawn
std::string plot_colour(std::size_t index);  // " lc rgb '#0072B2'": colours that also people who see few can tell apart

}  // namespace ontime::lab
