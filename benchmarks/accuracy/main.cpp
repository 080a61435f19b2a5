// How well the cost model predicts published measurements, beside the bars and the best that is known of others.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "collectives.hpp"
#include "runs.hpp"

namespace {

constexpr const char* usage =
    "usage: topoplan-bench-accuracy [--runs FILE] [--collectives FILE] [--json] [--rows] [--defaults]\n"
    "       topoplan-bench-accuracy --fit [--runs FILE]\n"
    "  --runs FILE         training runs, with the columns of published_runs.csv\n"
    "  --collectives FILE  measured collectives, with the columns of measured_collectives.csv\n"
    "  --json              one object instead of tables\n"
    "  --rows              also one line a run\n"
    "  --defaults          also what fills the blank cells of runs, by software\n"
    "  --fit               fit every GPU family anew and print the factors that the library ships\n"
    "With neither file, both of TOPOPLAN_REFERENCE_DIR; with one, that one alone.\n"
    "Exits 1 where a bar is missed, 2 on bad usage or input.\n";

struct command {
  accuracy::runs_options runs;
  std::string collectives;
  bool fit = false;
};

// Returns false on bad usage.
[[nodiscard]] bool parse(int argc, char** argv, command& out) {
  for (int i = 1; i < argc; ++i) {
    const auto is = [&](const char* name) { return std::strcmp(argv[i], name) == 0; };
    if (is("--json")) out.runs.json = true;
    else if (is("--rows")) out.runs.every_run = true;
    else if (is("--defaults")) out.runs.defaults = true;
    else if (is("--fit")) out.fit = true;
    else if (is("--runs") && i + 1 < argc) out.runs.file = argv[++i];
    else if (is("--collectives") && i + 1 < argc) out.collectives = argv[++i];
    else return false;
  }
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (!folder.empty() && out.runs.file.empty() && out.collectives.empty()) {
    out.runs.file = folder + "/data/published_runs.csv";
    if (!out.fit) out.collectives = folder + "/data/measured_collectives.csv";
  }
  return out.fit ? !out.runs.file.empty() && out.collectives.empty() : !out.runs.file.empty() || !out.collectives.empty();
}

[[nodiscard]] int run(const command& c) {
  if (c.fit) {
    std::fputs(accuracy::fitted_tables(c.runs.file).c_str(), stdout);
    return 0;
  }
  bool met = true;
  std::string collectives;
  std::string runs;
  if (!c.collectives.empty()) {
    const accuracy::report report = accuracy::collectives_report(c.collectives, c.runs.json);
    collectives = report.text;
    met = met && report.met;
  }
  if (!c.runs.file.empty()) {
    const accuracy::runs_text report = accuracy::runs_report(c.runs);
    runs = report.text;
    met = met && report.met;
  }
  if (!c.runs.json) {
    std::fputs((collectives + (collectives.empty() || runs.empty() ? "" : "\n") + runs).c_str(), stdout);
  } else {
    std::string json = "{";
    if (!collectives.empty()) json += "\"collectives\": " + collectives;
    if (!runs.empty()) json += (collectives.empty() ? "\"runs\": " : ", \"runs\": ") + runs;
    std::puts((json + "}").c_str());
  }
  return met ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, stdout);
    return 0;
  }
  command c;
  if (!parse(argc, argv, c)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    return run(c);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "topoplan-bench-accuracy: %s\n", e.what());
    return 2;
  }
}
