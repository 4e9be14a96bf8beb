# SPDX-License-Identifier: MIT
"""Makes small bugs of every kind, at every place of a C, C++ or CUDA file where one is possible."""
import re
from typing import NamedTuple

import c_tokens

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SIGNS = {"+": "-", "-": "+", "+=": "-=", "-=": "+="}
JOINED = {"&&": "||", "||": "&&"}
PAIRS = [("x", "y"), ("halo_x", "halo_y"), ("width", "height"), ("rows", "columns"),
         ("row", "column"), ("first", "last"), ("min", "max"), ("least", "most")]
SWAPPED = dict(PAIRS) | {second: first for first, second in PAIRS}
ASSIGNMENTS = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"}
WAITS = re.compile("sync|fence|wait|arrive|barrier|commit")
BOUNDS = re.compile("(^|_)(bound|roundings?|EPSILON)$")


class Edit(NamedTuple):
    """A replacement of the text from start to end."""
    line: int
    operator: str
    start: int
    end: int
    new: str


def replaced(token, operator, new):
    return Edit(token.line, operator, token.start, token.end, new)


def wrapped(code, operator, before, first, last, after):
    """Returns the edit that puts text before and after the tokens first to last. Line numbers stay as they are."""
    start, end = code.tokens[first].start, code.tokens[last].end
    return Edit(code.tokens[first].line, operator, start, end, before + code.source[start:end] + after)


def emptied(code, operator, first, last):
    """Returns the edit that removes the tokens, but not the ends of lines, so that `__LINE__` does not change."""
    start, end = code.tokens[first].start, code.tokens[last].end
    return Edit(code.tokens[first].line, operator, start, end, "\n" * code.source[start:end].count("\n"))


def of_sign(code, i, token):
    """Changes comparisons, additions, and operators of conditions: `a < b`, `a + b`, `a && b`, `!a`."""
    if token.text == "!" and code.kind(i + 1) in ("name", "sign"):
        yield replaced(token, "negation", "")
    for operator, table in ("comparison", COMPARISONS), ("sign", SIGNS), ("junction", JOINED):
        if token.spaced and token.text in table:
            yield replaced(token, operator, table[token.text])


def of_index(code, i, token):
    """Replaces `a[i]` by `a[i + 1]` and by `a[i - 1]`."""
    last = code.match.get(i, -1) - 1
    if token.text == "[" and last > i and (code.kind(i - 1) == "name" or code.text(i - 1) in ")]"):
        yield wrapped(code, "index-after", "", i + 1, last, " + 1")
        yield wrapped(code, "index-before", "", i + 1, last, " - 1")


def of_number(code, i, token):
    if token.kind != "number":
        return
    is_hexadecimal = token.text[:2].lower() == "0x"
    if "." in token.text or re.search("[pP]" if is_hexadecimal else "[eEfF]", token.text):
        yield replaced(token, "bound-half", f"({token.text} / 2)")
        yield replaced(token, "bound-quarter", f"({token.text} / 4)")
        return
    yield replaced(token, "constant-more", f"({token.text} + 1)")
    if token.text != "0":
        yield replaced(token, "constant-less", f"({token.text} - 1)")


def of_name(code, i, token):
    """Divides an error bound, such as `bound` or `DBL_EPSILON`, by 2 and by 4. Replaces a name such as x or width by
    its partner y or height, if the partner also occurs in the function (for a member, in the file). Replaces min by max
    and max by min anywhere."""
    if token.kind != "name" or code.is_type(i - 1) or code.text(i + 1) in ASSIGNMENTS:
        return
    if BOUNDS.search(token.text) and code.text(i + 1) not in ("(", ".", "->") \
            and code.text(i - 1) not in (".", "->", "&"):
        yield replaced(token, "bound-half", f"({token.text} / 2)")
        yield replaced(token, "bound-quarter", f"({token.text} / 4)")
    partner = SWAPPED.get(token.text)
    if partner and (token.text in ("min", "max") or code.is_known(i, partner)):
        yield replaced(token, "swap", partner)


def of_stride(code, i, token):
    """Narrows the stride in `y * view->stride_bytes` to 32 bits."""
    first = i
    while code.text(first - 1) in (".", "->"):
        first -= 2
    if token.text in ("stride_bytes", "strides") and code.text(first - 1) == "*" and code.tokens[first - 1].spaced:
        last = code.match[i + 1] - 1 if code.text(i + 1) == "[" else i
        yield wrapped(code, "narrow", "(int32_t)", first, last, "")


def of_condition(code, i, token):
    first = i + 2 if code.text(i + 1) == "constexpr" else i + 1
    last = code.match.get(first, -1)
    if token.text != "if" or last < 0 or "=" in [code.text(at) for at in range(first, last)]:
        return
    yield wrapped(code, "condition-not", "(!", first, last, ")")
    yield wrapped(code, "condition-always", "(1 || ", first, last, ")")
    yield wrapped(code, "condition-never", "(0 && ", first, last, ")")


def begins_statement(code, i):
    before = code.text(i - 1)
    if before == ")":
        opening = code.match.get(i - 1, 0) - 1
        return code.text(opening) in ("if", "for", "while", "constexpr")
    return before in (";", "{", "}", "else")


def of_statement(code, i, token):
    """Drops statements such as `f(a);`, `a = b;`, `a.b++;`, `*a = b;`, `break;`, but no declaration and no message."""
    if code.function[i] < 0 or not begins_statement(code, i):
        return
    end = code.end_of_statement(i)
    if end < 0 or any(code.kind(at) == "string" for at in range(i, end)):
        return
    name = i + 1 if token.text in ("*", "++", "--") else i
    is_call = code.kind(name) == "name" and code.text(name + 1) == "("
    if is_call and token.text not in c_tokens.KEYWORDS and code.match.get(name + 1) == end - 1:
        yield emptied(code, "barrier" if WAITS.search(token.text) else "statement", i, end - 1)
    elif token.text in ("break", "continue") or (
            code.kind(name) == "name" and code.text(name + 1) in (".", "->", "[", *ASSIGNMENTS)):
        yield emptied(code, "statement", i, end - 1)


def of_status(code, i, token):
    """Makes `status = f(a);` and `return f(a);` continue as if f had succeeded."""
    is_call = code.kind(i + 1) == "name" and code.text(i + 2) == "("
    last = code.match.get(i + 2, -1)
    if not is_call or last < 0 or code.text(last + 1) != ";":
        return
    if (token.text == "=" and code.text(i - 1) == "status") or (token.text == "return" and code.returns_status(i)):
        yield wrapped(code, "status", "(", i + 1, last, ", STATUS_OK)")


class Source(c_tokens.Code):
    def __init__(self, source):
        super().__init__(source)
        self.source = source
        self.names = {}  # the names in each scope: see scope()
        for i, token in enumerate(self.tokens):
            if token.kind == "name":
                self.names.setdefault(self.scope(i), set()).add(token.text)

    def scope(self, i):
        return "members" if self.text(i - 1) in (".", "->") else self.function[i]

    def is_known(self, i, name):
        """Returns True if the name occurs where token i does: in its function, or, if token i is a member as in a.b,
        as a member anywhere in the file."""
        return name in self.names[self.scope(i)]

    def returns_status(self, i):
        """Returns True if the function around token i begins with `enum status name(`."""
        at = self.match.get(self.function[i] - 1, 0)
        return self.function[i] > 0 and [self.text(at - 3), self.text(at - 2)] == ["enum", "status"]


OPERATORS = [of_sign, of_index, of_number, of_name, of_stride, of_condition, of_statement, of_status]


def edits_of(source):
    """Yields all edits of a file's text, from first to last, each with the name of its function."""
    code = Source(source)
    for i, token in enumerate(code.tokens):
        if code.runs[i]:
            for operator in OPERATORS:
                for edit in operator(code, i, token):
                    yield code.function_name(i), edit
