"""Finds the functions and types at namespace scope of a C++ header and the comment block above each."""

import re

NAMED_SCOPE = re.compile(r"^(?:inline\s+)?namespace\b")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|union|enum(?:\s+class)?)\b")
NOT_A_FUNCTION = re.compile(r"^(?:using|typedef|static_assert|extern\s+template|friend|concept)\b|\bconcept\s+\w+\s*=")
KEYWORDS = {"requires", "decltype", "noexcept", "alignas", "explicit", "sizeof", "__attribute__", "if", "while", "for"}


def blank_out(text, keep_preprocessor=False):
    """The text with comments, literals and preprocessor lines turned into spaces; every line keeps its number."""
    pattern = re.compile(
        r'R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])+"(?<!"")|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
    code = pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    if keep_preprocessor:
        return code
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: re.sub(r"[^\n]", " ", m.group()), code, flags=re.MULTILINE)


def skip_braces(code, at):
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] == "{") - (code[i] == "}")
        if depth == 0:
            return i + 1
    return len(code)


def strip_templates(head):
    """Without leading template<...>, requires-clause parentheses and attributes."""
    head = re.sub(r"\[\[.*?\]\]", " ", head, flags=re.DOTALL).strip()
    while (m := re.match(r"template\s*<", head)):
        depth, i = 1, m.end()
        while i < len(head) and depth:
            depth += (head[i] == "<") - (head[i] == ">" and head[i - 1] != "-")
            i += 1
        head = head[i:].strip()
    return head


def function_name(head):
    """The name of the function that a declaration declares, or None."""
    head = strip_templates(head)
    if NOT_A_FUNCTION.search(head) or TYPE.match(head):
        return None
    if (m := re.search(r'\boperator\s*(""\s*\w+|\(\s*\)|\[\s*\]|new|delete|[^\w\s(]+|[\w:<>*& ]+?)\s*\(', head)):
        return "operator" + m.group(1).strip()
    for m in re.finditer(r"(\w[\w:]*)\s*\(", head):
        if m.group(1) in KEYWORDS:
            continue
        if re.search(r"(?<![=!<>])=(?!=)", head[: m.start()]) or "::" in m.group(1):
            return None  # a variable, or a member defined outside its class, where the class has its comment
        return m.group(1)
    return None


def declarations(code):
    """(line of the first token, head, body, line after the last token) of what stands at namespace scope, outside detail."""
    found, at, start, scopes = [], 0, None, []
    hidden = lambda: any(re.search(r"\bdetail\b|namespace\s*$", s) for s in scopes)
    line_of = lambda i: code.count("\n", 0, i) + 1
    parens = 0
    while at < len(code):
        c = code[at]
        if start is None and not c.isspace():
            start = at
        parens += (c in "([") - (c in ")]")
        if c == "{" and parens == 0:
            head = " ".join(code[start:at].split())
            if NAMED_SCOPE.match(head) or head.startswith("extern  ") or head == "extern":
                scopes.append(head)
                at, start = at + 1, None
                continue
            end = skip_braces(code, at)
            if function_name(head) and not TYPE.match(strip_templates(head)):
                if not hidden():
                    found.append((line_of(start), head, code[at:end], line_of(end)))
                at, start = end, None
                continue
            at = end  # a type, a concept or an initialiser: goes on to its semicolon
            continue
        if c == "}" and parens == 0:
            if scopes:
                scopes.pop()
            at, start = at + 1, None
            continue
        if c == ";" and parens == 0:
            head = " ".join(code[start:at].split())
            if head and not hidden():
                found.append((line_of(start), head, "", line_of(at)))
            at, start = at + 1, None
            continue
        at += 1
    return found


def wanted_tags(head, body):
    """A noexcept function says by its signature that it throws nothing, a one-line function shows what it costs."""
    if "noexcept" in head:
        return []
    return ["errors:"] if body.count(";") == 1 else ["errors:", "complexity:"]


def check(text):
    """(line, what is missing) for each function and type at namespace scope.

    A block of comment lines covers the declaration under it and those that follow without an empty line (an overload set).
    """
    lines, findings = text.splitlines(), []
    is_comment = lambda n: 1 <= n <= len(lines) and lines[n - 1].lstrip().startswith("//")
    block, last_end = "", None
    for line, head, body, end in declarations(blank_out(text)):
        top = line
        while is_comment(top - 1):
            top -= 1
        if top != line:
            block = "\n".join(l.strip().lstrip("/ ") for l in lines[top - 1 : line - 1])
        elif last_end is None or any(not l.strip() for l in lines[last_end : line - 1]):
            block = ""
        last_end = end
        name = function_name(head)
        if name:
            if not block:
                findings.append((line, f"{name}() has no doc block"))
                continue
            if re.match(r"(pre|post|complexity|units|errors|source):", block):
                findings.append((line, f"the doc block of {name}() has no sentence"))
            findings += [(line, f"the doc block of {name}() doesn't say '{t}'") for t in wanted_tags(head, body) if t not in block]
        elif TYPE.match(strip_templates(head)) and not block and not re.fullmatch(r"(class|struct) \w+", strip_templates(head)):
            findings.append((line, "a type without a comment: " + head.split("{")[0].strip()))
    return findings
