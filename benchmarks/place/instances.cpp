#include "instances.hpp"

#include <topoplan/cluster/presets.hpp>
#include <topoplan/core/error.hpp>
#include <topoplan/import/read_file.hpp>
#include <topoplan/plan/rules.hpp>
#include <topoplan/solve/detail/random.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>
#include <utility>

namespace topoplan_bench {

using namespace topoplan;

custom_objective empty_price() {
  custom_objective o;
  o.distances = {1, 1, 10, 30, 60};
  return o;
}

cluster uneven(const std::vector<std::vector<std::uint32_t>>& pods, std::uint16_t gpus) {
  cluster c;
  c.name = "uneven";
  c.gpu_models = {"GPU"};
  c.rails = gpus;
  c.tiers.resize(pods.size() > 1 ? 3 : 2);
  c.tiers[0].name = "leaf";
  c.tiers[1].name = "pod";
  if (pods.size() > 1) c.tiers[2] = {.name = "core", .nodes = {{"core1", 0}}, .from = {}};
  for (std::uint32_t p = 0; p < pods.size(); ++p) {
    c.tiers[1].nodes.push_back({"pod" + std::to_string(p + 1), 0});
    for (const std::uint32_t hosts : pods[p]) {
      const auto leaf = static_cast<std::uint32_t>(c.tiers[0].nodes.size());
      c.tiers[0].nodes.push_back({"leaf" + std::to_string(leaf + 1), p});
      for (std::uint32_t i = 0; i < hosts; ++i) {
        host h;
        h.name = "h" + std::to_string(c.hosts.size() + 1);
        h.leaf = leaf;
        h.first_gpu = static_cast<std::uint32_t>(c.gpus.size());
        h.gpu_count = gpus;
        for (std::uint16_t g = 0; g < gpus; ++g) {
          gpu made;
          made.host = host_id{static_cast<std::uint32_t>(c.hosts.size())};
          made.domain = domain_id{c.domains};
          made.index = made.rail = g;
          c.gpus.push_back(made);
        }
        ++c.domains;
        c.hosts.push_back(std::move(h));
      }
    }
  }
  return c;
}

cluster shuffled(const cluster& c, std::uint64_t seed) {
  detail::random_source random(seed);
  std::vector<std::uint32_t> order(c.hosts.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  cluster made = c;
  made.hosts.clear();
  made.gpus.clear();
  for (const std::uint32_t from : order) {
    host h = c.hosts[from];
    for (std::uint32_t g = h.first_gpu; g < h.first_gpu + h.gpu_count; ++g) {
      made.gpus.push_back(c.gpus[g]);
      made.gpus.back().host = host_id{static_cast<std::uint32_t>(made.hosts.size())};
    }
    h.first_gpu = static_cast<std::uint32_t>(made.gpus.size()) - h.gpu_count;
    made.hosts.push_back(std::move(h));
  }
  return made;
}

namespace {

// One line, with where it stands for messages.
struct line_reader {
  std::string source;
  std::size_t line = 0;

  [[noreturn]] void fail(const std::string& expected, std::string_view found) const {
    throw parse_error({source, line, 0}, expected, std::string(found));
  }
  [[nodiscard]] std::uint32_t number(std::string_view text) const {
    std::uint32_t value = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (wrong != std::errc{} || end != text.data() + text.size()) fail("a number", text);
    return value;
  }
  [[nodiscard]] std::vector<std::uint32_t> numbers(std::string_view text) const {
    std::vector<std::uint32_t> all;
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t to = std::min(text.find(',', from), text.size());
      const std::string_view item = text.substr(from, to - from);
      const std::size_t times = item.find('*');
      const std::uint32_t count = times == item.npos ? 1 : number(item.substr(0, times));
      all.insert(all.end(), count, number(times == item.npos ? item : item.substr(times + 1)));
      from = to + 1;
    }
    return all;
  }

  [[nodiscard]] cluster tree(std::istringstream& words) const {
    std::vector<std::vector<std::uint32_t>> pods;
    std::uint32_t gpus = 8;
    std::uint32_t seed = 0;
    std::uint32_t lost = 0;
    std::uint32_t dead = 0;
    std::uint32_t slow = 0;
    for (std::string word; words >> word;) {
      const std::size_t equals = word.find('=');
      const std::string_view key = std::string_view(word).substr(0, equals == word.npos ? 0 : equals);
      const std::string_view value = equals == word.npos ? std::string_view(word) : std::string_view(word).substr(equals + 1);
      if (key == "gpus") gpus = number(value);
      else if (key == "shuffle") seed = number(value);
      else if (key == "lost") lost = number(value);
      else if (key == "dead") dead = number(value);
      else if (key == "slow") slow = number(value);
      else if (key == "scattered") {
        const std::vector<std::uint32_t> n = numbers(value);
        if (n.size() != 5) fail("scattered=HOSTS,LEAST,MOST,LEAVES,SEED", value);
        detail::random_source random(n[4]);
        for (std::uint32_t left = n[0]; left > 0;) {
          if (pods.empty() || pods.back().size() == n[3]) pods.emplace_back();
          pods.back().push_back(std::min(left, n[1] + static_cast<std::uint32_t>(random.below(n[2] - n[1] + 1))));
          left -= pods.back().back();
        }
      } else if (key.empty()) {
        for (std::size_t from = 0; from <= value.size();) {
          const std::size_t to = std::min(value.find('/', from), value.size());
          pods.push_back(numbers(value.substr(from, to - from)));
          from = to + 1;
        }
      } else {
        fail("gpus, shuffle, lost, dead, slow or scattered", key);
      }
    }
    if (pods.empty()) fail("leaf groups", "none");
    cluster c = uneven(pods, static_cast<std::uint16_t>(gpus));
    if (slow > 0) c.gpu_models = {"H100-SXM 80GB", "A100-SXM 80GB"};
    for (std::size_t h = 0; h < c.hosts.size(); ++h) {
      if (lost > 0 && h % lost == lost / 2) c.hosts[h].cordoned = true;
      if (dead > 0 && h % dead == dead / 2) c.gpus[c.hosts[h].first_gpu + h % gpus].health = gpu_health::unhealthy;
      if (slow > 0 && h % slow == 0) c.hosts[h].model = 1;
    }
    return seed == 0 ? c : shuffled(c, seed);
  }

  void job(const std::string& text, instance& made) const {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word == "confine=none") {
        made.options.confine.clear();
        continue;
      }
      if (word.starts_with("mix=")) {
        made.options.mix = parse_axis_set(word.substr(4));
        continue;
      }
      if (word.find('=') != word.npos) {
        made.options.confine.push_back(parse_confinement(word));
        continue;
      }
      const std::size_t digit = word.find_first_of("0123456789");
      if (digit == word.npos) fail("an axis with its degree, such as tp8", word);
      const std::string name = word.substr(0, digit);
      const std::uint32_t degree = number(std::string_view(word).substr(digit));
      if (name == "tp") made.d.tp = degree;
      else if (name == "cp") made.d.cp = degree;
      else if (name == "ep") made.d.ep = degree;
      else if (name == "etp") made.d.expert_tp = degree;
      else if (name == "dp") made.d.dp = degree;
      else if (name == "pp") made.d.pp = degree;
      else fail("tp, cp, ep, etp, dp or pp", name);
    }
  }

  [[nodiscard]] custom_objective objective(const std::string& text) const {
    custom_objective o = empty_price();
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word == "default") {
        const default_objective usual;
        o.name = "default";
        o.distances.clear();
        for (std::size_t l = 0; l < 8; ++l) o.distances.push_back(usual.distance(l));
        for (const axis a : all_axes) {
          o.weights[static_cast<std::size_t>(a)] = usual.weight(a);
          o.patterns[static_cast<std::size_t>(a)] = usual.pattern(a);
        }
        continue;
      }
      const std::size_t colon = word.find(':');
      if (colon == word.npos || word.size() < colon + 3) fail("AXIS:WEIGHT and r, c or a", word);
      const axis a = parse_axis(word.substr(0, colon));
      o.weights[static_cast<std::size_t>(a)] = number(std::string_view(word).substr(colon + 1, word.size() - colon - 2));
      switch (word.back()) {
        case 'r': o.patterns[static_cast<std::size_t>(a)] = edge_pattern::ring; break;
        case 'c': o.patterns[static_cast<std::size_t>(a)] = edge_pattern::chain; break;
        case 'a': o.patterns[static_cast<std::size_t>(a)] = edge_pattern::all_to_all; break;
        default: fail("r, c or a after a weight", word);
      }
    }
    return o;
  }
};

}  // namespace

std::vector<instance> read_instances(const std::string& path) {
  std::vector<instance> all;
  std::istringstream lines(import::read_file(path));
  line_reader at{path};
  for (std::string line; std::getline(lines, line);) {
    ++at.line;
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> columns;
    for (std::size_t from = 0; from <= line.size();) {
      const std::size_t to = std::min(line.find('|', from), line.size());
      std::string column = line.substr(from, to - from);
      column.erase(0, column.find_first_not_of(' '));
      column.erase(column.find_last_not_of(' ') + 1);
      columns.push_back(std::move(column));
      from = to + 1;
    }
    if (columns.size() != 5) at.fail("five columns: name | cluster | degrees | objective | origin", line);
    instance made;
    made.name = columns[0];
    made.options.launcher = launchers::free;
    if (columns[1].find(':') != std::string::npos) {
      made.c = make_cluster(columns[1]);
    } else {
      std::istringstream words(columns[1]);
      std::string first;
      words >> first;
      if (first != "tree") at.fail("a spec or \"tree\"", columns[1]);
      made.c = at.tree(words);
    }
    at.job(columns[2], made);
    made.price = at.objective(columns[3]);
    made.origin = columns[4];
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace topoplan_bench
