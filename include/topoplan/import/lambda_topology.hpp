// Reads what Lambda's topology API answers: the switches above each instance, and its NVLink domain.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/cluster_topology.hpp>
#include <topoplan/import/detail/document_fields.hpp>
#include <topoplan/import/detail/domain_builder.hpp>
#include <topoplan/import/detail/path_tree.hpp>
#include <topoplan/import/document.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace topoplan::inline v1::import {

namespace detail {

class lambda_reader {
 public:
  explicit lambda_reader(const std::string& source) : tree_(source), domains_(source) {}

  void add_responses(const document_reader& value) {
    if (value.value().kind == document_kind::list) {
      for (std::size_t i = 0; i < value.size(); ++i) add_response(value[i]);
    } else {
      add_response(value);
    }
  }

  [[nodiscard]] cluster_topology take(const location& where) {
    if (hosts_ == 0) throw parse_error(where, "instances", "an empty list of data");
    if (!last_page_ && more_line_ != 0)
      tree_.say(more_line_, "page_token is set: there are more instances than these; ask for the next page with it");
    cluster_topology result{tree_.take(), {}};
    if (in_domains_) result.domains = domains_.take();
    if (!result.network && !result.domains) throw parse_error(where, "instances with a networkPath", "none has any");
    return result;
  }

 private:
  void add_response(const document_reader& response) {
    const auto instances = response.at("data");
    for (std::size_t i = 0; i < instances.size(); ++i) add_instance(instances[i]);
    const auto token = name_at(response, "page_token");
    last_page_ = last_page_ || !token;
    if (token) more_line_ = response.at("page_token").line();
  }

  void add_instance(const document_reader& instance) {
    const auto& host = name_in(instance.at("id"), "the id of an instance");
    std::vector<std::string> path;
    if (const auto steps = part_at(instance, "networkPath", document_kind::list)) {
      for (std::size_t i = 0; i < steps->size(); ++i) path.push_back(name_in((*steps)[i].at("id"), "the id of a switch"));
    }
    tree_.add(host, path, instance.where());
    const auto nvlink = part_at(instance, "nvlink", document_kind::map);
    if (nvlink) domains_.add_named(host, domain_in(*nvlink), nvlink->line());
    else domains_.add(host, instance.line());
    in_domains_ = in_domains_ || nvlink;
    ++hosts_;
  }

  // Both parts count: cliques of different domains share a number.
  [[nodiscard]] static std::string domain_in(const document_reader& nvlink) {
    const auto& domain = name_in(nvlink.at("domain_id"), "domain_id");
    return domain + '.' + name_in(nvlink.at("clique_id"), "clique_id", unquoted::taken);
  }

  path_tree tree_;
  domain_builder domains_;
  std::size_t hosts_ = 0;
  std::size_t more_line_ = 0;
  bool last_page_ = false;
  bool in_domains_ = false;
};

}  // namespace detail

// Reads the pages of Lambda's /api/v1/topology/instance: one response, several, or lists of them. A host is an instance's id;
// networkPath stands closest first. An NVLink domain is nvlink's domain_id with its clique_id; null is "not told".
// pre: the documents are of one text. post: an instance without a networkPath isn't in the tree; that, and a page_token without a
//   last page, are notes. complexity: O(values log instances).
// errors: parse_error for what isn't such a response, an instance with two paths or domains, and switches that are no tree.
[[nodiscard]] inline cluster_topology lambda_topology(std::span<const document> pages) {
  if (pages.empty()) throw parse_error({}, "a response with data", "nothing");
  detail::lambda_reader reader(pages.front().source);
  for (const document& page : pages) reader.add_responses(document_reader(page));
  return reader.take(document_reader(pages.front()).where());
}
[[nodiscard]] inline cluster_topology lambda_topology(const document& page) { return lambda_topology({&page, 1}); }

}  // namespace topoplan::inline v1::import
