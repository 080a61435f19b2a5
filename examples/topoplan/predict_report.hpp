// A prediction for people, and as a JSON document (topoplan.prediction, version 1).
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "predict_parts.hpp"

namespace topoplan_cli {

void report_prediction(std::ostream& out, const prediction_report& r);
void write_prediction_json(std::ostream& out, const prediction_report& r);

// The document of a job without seats.
void write_no_prediction_json(std::ostream& out, const std::string& why);

// "2 NVLink domains of 8 ranks": how a group sits.
[[nodiscard]] std::string seats_text(const topoplan::group_shape& g, const topoplan::interconnect& x,
                                     std::optional<topoplan::collective> what = {});

}  // namespace topoplan_cli
