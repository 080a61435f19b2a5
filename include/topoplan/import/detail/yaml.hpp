// The one place that includes yaml-cpp: a text as documents.
#pragma once

#include <topoplan/core/error.hpp>
#include <topoplan/import/detail/document_builder.hpp>
#include <topoplan/import/detail/text.hpp>
#include <topoplan/import/document.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace topoplan::inline v1::import::detail {

// Takes yaml-cpp's events. A map's keys arrive as values, in turn with its values.
class yaml_events : public YAML::EventHandler {
 public:
  // pre: `lines` are those of the text, and outlive the object.
  yaml_events(const std::string& source, const std::vector<text_line>& lines)
      : source_(source), lines_(&lines), builder_(source) {}

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_key(mark, "nothing");
    builder_.none(line(mark), column(mark));
    done(anchor, {});
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& value) override {
    if (key_follows()) {
      builder_.key(value, line(mark), column(mark));
      turns_.back() = turn::value;
      return;
    }
    const bool plain = tag != "!" && tag != "tag:yaml.org,2002:str";
    const bool null = plain && (value.empty() || value == "~" || value == "null" || value == "Null" || value == "NULL");
    if (null) builder_.none(line(mark), column(mark));
    else builder_.text(value, plain, line(mark), column(mark), !plain && stands_at(mark, '|'));
    document_value copy;
    if (anchor != YAML::NullAnchor) {
      copy.kind = null ? document_kind::none : document_kind::text;
      copy.plain = plain;
      copy.text = null ? std::string{} : value;
    }
    done(anchor, std::move(copy));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_key(mark, "an alias");
    const auto named = anchored_.find(anchor);
    if (named == anchored_.end()) {
      throw parse_error({source_, line(mark), column(mark)}, "an alias of a text", "an alias of a list or map");
    }
    builder_.copy(named->second, line(mark), column(mark));
    done(YAML::NullAnchor, {});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    refuse_key(mark, "a list, perhaps one that is never closed");
    builder_.open(document_kind::list, line(mark), column(mark));
    turns_.push_back(turn::item);
  }
  void OnSequenceEnd() override { leave(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    refuse_key(mark, "a map, perhaps one that is never closed");
    builder_.open(document_kind::map, line(mark), column(mark));
    turns_.push_back(turn::key);
  }
  void OnMapEnd() override { leave(); }

  [[nodiscard]] document take() { return builder_.take(); }
  [[nodiscard]] const YAML::Mark& start() const noexcept { return start_; }

 private:
  enum class turn : std::uint8_t { item, key, value };

  [[nodiscard]] static std::uint32_t line(const YAML::Mark& mark) { return static_cast<std::uint32_t>(mark.line + 1); }
  [[nodiscard]] static std::uint32_t column(const YAML::Mark& mark) { return static_cast<std::uint32_t>(mark.column + 1); }
  [[nodiscard]] bool key_follows() const { return !turns_.empty() && turns_.back() == turn::key; }
  void refuse_key(const YAML::Mark& mark, const char* found) const {
    if (key_follows()) throw parse_error({source_, line(mark), column(mark)}, "a text as key", found);
  }
  // The style of a text is told by what stands where it begins.
  [[nodiscard]] bool stands_at(const YAML::Mark& mark, char sign) const {
    const auto at = static_cast<std::size_t>(mark.line);
    const auto in = static_cast<std::size_t>(mark.column);
    return at < lines_->size() && in < (*lines_)[at].text.size() && (*lines_)[at].text[in] == sign;
  }
  void leave() {
    turns_.pop_back();
    builder_.close();
    done(YAML::NullAnchor, {});
  }
  void done(YAML::anchor_t anchor, document_value copy) {
    if (anchor != YAML::NullAnchor) anchored_.insert_or_assign(anchor, std::move(copy));
    if (!turns_.empty() && turns_.back() == turn::value) turns_.back() = turn::key;
  }

  std::string source_;
  const std::vector<text_line>* lines_;
  document_builder builder_;
  std::vector<turn> turns_;
  std::map<YAML::anchor_t, document_value> anchored_;
  YAML::Mark start_;
};

[[nodiscard]] inline std::vector<document> read_yaml(std::string_view text, const std::string& source) {
  const auto lines = lines_of(text, source);
  std::istringstream stream{std::string(plain_text(text, source))};
  std::vector<document> documents;
  int last = -1;  // where the document before begins
  try {
    YAML::Parser parser(stream);
    for (;;) {
      yaml_events events(source, lines);
      if (!parser.HandleNextDocument(events)) break;
      // yaml-cpp takes what can't begin a value, such as a lone bracket, for an empty document, and doesn't go on behind it.
      if (events.start().pos == last) {
        throw parse_error(
            {source, static_cast<std::size_t>(events.start().line) + 1, static_cast<std::size_t>(events.start().column) + 1},
            "YAML", "what begins no value");
      }
      last = events.start().pos;
      document d = events.take();
      if (d.root.kind != document_kind::none) documents.push_back(std::move(d));
    }
  } catch (const YAML::Exception& e) {
    const bool known = !e.mark.is_null();
    throw parse_error({source, known ? static_cast<std::size_t>(e.mark.line) + 1 : 0U,
                       known ? static_cast<std::size_t>(e.mark.column) + 1 : 0U},
                      "YAML", "what isn't: " + e.msg);
  }
  return documents;
}

}  // namespace topoplan::inline v1::import::detail
