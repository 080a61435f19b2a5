// Reads what EC2's DescribeInstanceTopology answers: the network nodes above each instance, and its UltraServer.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/counted.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/path_tree.hpp>
#include <topoplan/import/document.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class aws_reader {
 public:
  explicit aws_reader(const std::string& source) : tree_(source), domains_(source) {}

  // A response, or a list of such.
  void add_responses(const document_reader& value) {
    if (value.value().kind == document_kind::list) {
      for (std::size_t i = 0; i < value.size(); ++i) add_response(value[i]);
    } else {
      add_response(value);
    }
  }

  [[nodiscard]] cluster_topology take(const location& where) {
    if (hosts_ == 0) throw parse_error(where, "instances", "an empty list of Instances");
    if (!last_page_ && more_line_ != 0) {
      tree_.say(more_line_, "NextToken is set: there are more instances than these; ask for the next page with --next-token");
    }
    if (types_.size() > 1) {
      std::string text;
      for (const auto& [type, count] : types_) text += (text.empty() ? "" : ", ") + type + " " + std::to_string(count);
      tree_.say(0, "instances of " + std::to_string(types_.size()) + " types: " + text.substr(0, 400));
    }
    cluster_topology result{tree_.take(), {}};
    if (in_blocks_) result.domains = domains_.take();
    if (!result.network && !result.domains) throw parse_error(where, "instances with NetworkNodes", "none has any");
    return result;
  }

 private:
  void add_response(const document_reader& response) {
    const auto instances = response.at("Instances");
    for (std::size_t i = 0; i < instances.size(); ++i) add_instance(instances[i]);
    const auto token = name_at(response, "NextToken");
    last_page_ = last_page_ || !token;
    if (token) more_line_ = response.at("NextToken").line();
  }

  void add_instance(const document_reader& instance) {
    const auto& host = name_in(instance.at("InstanceId"), "InstanceId");
    std::vector<std::string> path;
    if (const auto nodes = part_at(instance, "NetworkNodes", document_kind::list)) {
      for (std::size_t i = nodes->size(); i-- > 0;) path.push_back(name_in((*nodes)[i], "the name of a network node"));
    }
    tree_.add(host, path, instance.where());
    const auto block = name_at(instance, "CapacityBlockId");
    if (block) domains_.add_named(host, *block, instance.line());
    else domains_.add(host, instance.line());
    in_blocks_ = in_blocks_ || block;
    if (const auto type = name_at(instance, "InstanceType")) ++types_[*type];
    ++hosts_;
  }

  path_tree tree_;
  domain_builder domains_;
  std::map<std::string, std::size_t> types_;
  std::size_t hosts_ = 0;
  std::size_t more_line_ = 0;
  bool last_page_ = false;
  bool in_blocks_ = false;
};

}  // namespace detail

// Reads the pages of `aws ec2 describe-instance-topology`: one response, several, or lists of them. A host is an InstanceId;
// NetworkNodes stand root first, the last is the closest. CapacityBlockId, which only UltraServers have, is an NVLink domain.
// pre: the documents are of one text. post: an instance without NetworkNodes isn't in the tree; that, a NextToken without a last
//   page, and instances of several types are notes. complexity: O(values log instances).
// errors: parse_error for what isn't such a response, an instance with two paths or blocks, and network nodes that are no tree.
[[nodiscard]] inline cluster_topology aws_topology(std::span<const document> pages) {
  if (pages.empty()) throw parse_error({}, "a response with Instances", "nothing");
  detail::aws_reader reader(pages.front().source);
  for (const document& page : pages) reader.add_responses(document_reader(page));
  return reader.take(document_reader(pages.front()).where());
}
[[nodiscard]] inline cluster_topology aws_topology(const document& page) { return aws_topology({&page, 1}); }

}  // namespace topoplan::inline v1::import
