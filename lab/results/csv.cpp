#include <algorithm>

#include "lab/results/page.h"

namespace ontime::lab {
namespace {

std::string labels_of(const Row& row) {
  std::string line;
  for (const std::string& label : row.labels) line += csv_field(label) + ",";
  return line + csv_field(row.policy);
}

std::string titles_of(const StudyResult& result) {
  std::string line;
  for (const std::string& axis : result.axes) line += csv_field(axis) + ",";
  return line + "policy";
}

}  // namespace

std::string csv_of(const StudyResult& result) {
  std::string text = titles_of(result) + ",seeds";
  for (const Measure* measure : result.measures) {
    const std::string name(measure->name);
    text += "," + name + "," + name + "_low," + name + "_high," + name + "_printed_low," + name + "_printed_high";
  }
  text += "\n";
  for (const Row& row : result.rows) {
    text += labels_of(row) + "," + std::to_string(result.seeds);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const Estimate& value = row.values[i];
      text += "," + number(value.value) + "," + number(value.low) + "," + number(value.high);
      const auto& printed = row.printed[i];
      text += printed ? "," + number(printed->low) + "," + number(printed->high) : std::string(",,");
    }
    text += "\n";
  }
  return text;
}

std::string curves_csv_of(const Study& study, const StudyResult& result) {
  const bool is_cdf = study.figure.kind == Figure::Kind::Cdf;
  if (!is_cdf && study.figure.kind != Figure::Kind::OverTime) return "";
  std::string text = titles_of(result) + (is_cdf ? ",flow_time,share\n" : ",time,busy,jobs\n");
  for (const Row& row : result.rows) {
    for (std::size_t i = 0; is_cdf && i <= kCurvePoints; ++i) {
      const double share = static_cast<double>(i) / kCurvePoints;
      text += labels_of(row) + "," + number(quantile_of(row.flow_times, share)) + "," + number(share) + "\n";
    }
    const std::size_t step = std::max<std::size_t>(1, row.samples.size() / kCurvePoints);
    for (std::size_t i = 0; !is_cdf && i < row.samples.size(); i += step) {
      const Sample& sample = row.samples[i];
      text += labels_of(row) + "," + number(sample.at) + "," + number(static_cast<double>(sample.busy) / row.slots) +
              "," + std::to_string(sample.jobs) + "\n";
    }
  }
  return text;
}

}  // namespace ontime::lab
