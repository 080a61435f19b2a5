// Reads what a user gives as the allocation: a file's path, or the hostlist itself.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/hostfile.hpp>
#include <topoplan/import/read_file.hpp>

#include <string>
#include <string_view>

namespace topoplan::inline v1::import {

// The hosts of a file when the argument is one ("-": standard input), else of the argument, which messages call `option`.
// complexity: O(characters of the names). errors: io_error for what looks like a path and is no file; as hostfile() else.
[[nodiscard]] inline host_list hosts_argument(const std::string& argument, const std::string& option = "--hosts") {
  if (is_file(argument)) return hostfile(read_file(argument), source_name(argument));
  bool path = argument.find('/') != std::string::npos && argument.find('[') == std::string::npos;
  for (const std::string_view ending : {".txt", ".conf", ".hosts", ".list", ".json", ".cfg"})
    path = path || argument.ends_with(ending);
  if (path) throw io_error(argument, "no such file, and no host list either");
  return hostfile(argument, option);
}

}  // namespace topoplan::inline v1::import
