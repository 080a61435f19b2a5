// How well the cost model predicts published measurements, beside the bars and the best that is known of others.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "collectives.hpp"

namespace {

constexpr const char* usage =
    "usage: topoplan-bench-accuracy [--collectives FILE] [--json]\n"
    "  --collectives FILE  rows of measured collectives, with the columns of measured_collectives.csv\n"
    "  --json              one object instead of tables\n"
    "Without a file, that of TOPOPLAN_REFERENCE_DIR. Exits 1 where a bar is missed.\n";

}  // namespace

int main(int argc, char** argv) {
  std::string collectives;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) json = true;
    else if (std::strcmp(argv[i], "--collectives") == 0 && i + 1 < argc) collectives = argv[++i];
    else {
      std::fputs(usage, std::strcmp(argv[i], "--help") == 0 ? stdout : stderr);
      return std::strcmp(argv[i], "--help") == 0 ? 0 : 2;
    }
  }
  const std::string folder = TOPOPLAN_REFERENCE_DIR;
  if (collectives.empty() && !folder.empty()) collectives = folder + "/data/measured_collectives.csv";
  if (collectives.empty()) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    const accuracy::report report = accuracy::collectives_report(collectives, json);
    std::printf(json ? "{\"collectives\": %s}\n" : "%s", report.text.c_str());
    return report.met ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "topoplan-bench-accuracy: %s\n", e.what());
    return 2;
  }
}
