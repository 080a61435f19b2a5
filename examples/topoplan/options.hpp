// Options that several commands take.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "commands.hpp"

namespace topoplan_cli {

// A check whose wording stands in its message, not in the help.
[[nodiscard]] CLI::Validator quietly(CLI::Validator check);

void add_cluster_options(CLI::App& command, cluster_options& o);

// An empty value is a variable that isn't set, and not "everything".
void refuse_empty_values(CLI::App& command);

// A number above 0.
CLI::Option* positive(CLI::App& command, const std::string& name, std::uint32_t& value, const std::string& help,
                      const char* group);

// Degrees and order.
void add_job_options(CLI::App& command, job_options& o);

// Hard rules over axes.
void add_confine_option(CLI::App& command, std::vector<std::string>& confine, const char* group);

// Settings of training and fabric, by option. `given` must outlive the parsing.
void add_settings(CLI::App& command, std::vector<std::pair<std::string, std::string>>& given);

// Whole commands whose options fill a file. `status` gets the exit status.
void add_place(CLI::App& app, int& status);
void add_lint(CLI::App& app, int& status);
void add_predict(CLI::App& app, int& status);
void add_calibrate(CLI::App& app, int& status);

}  // namespace topoplan_cli
