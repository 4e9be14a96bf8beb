# SPDX-License-Identifier: MIT
"""Splits a C, C++ or CUDA file into tokens, and tells which of them a mutant (a small planted bug) may change: code in
functions and values of constants, but no comment, string, directive, declaration or message."""
import bisect
import re
from typing import NamedTuple

PATTERN = re.compile(r'''
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)
  | (?P<string>(?:u8|[LuU])?R"(\w*)\(.*?\)\2"|(?:u8|[LuU])?"(?:\\.|[^"\\\n])*")
  | (?P<char>[LuU]?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><<<|>>>|<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|[<>=!+\-*/%&|^]=|&&|\|\||::|[^\s\w])
''', re.X | re.S | re.M)
OPENING = {"(": ")", "[": "]", "{": "}"}
# After these words, the parentheses hold a type, a size or an attribute: no code that runs.
NOT_RUN = {"static_assert", "_Static_assert", "sizeof", "alignas", "_Alignas", "__attribute__",
           "__launch_bounds__", "decltype", "offsetof"}
KEYWORDS = {"return", "else", "case", "goto", "break", "continue", "do", "sizeof", "throw", "delete",
            "if", "for", "while", "switch"}


class Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int
    line: int
    spaced: bool  # has spaces on both sides, as clang-format writes binary operators


class Code:
    """The tokens of a file, without comments and directives."""

    def __init__(self, text):
        self.tokens = list(tokens_of(text))
        self.match = match_brackets(self.tokens)
        self.function = [-1] * len(self.tokens)  # for each token: index of the opening brace of its function, or -1
        self.runs = [False] * len(self.tokens)  # true for tokens that a mutant may change
        self.mark_code()
        for i, token in enumerate(self.tokens):
            for start, end in self.not_run(i, token):
                self.runs[start:end + 1] = [False] * (end + 1 - start)

    def text(self, i):
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def kind(self, i):
        return self.tokens[i].kind if 0 <= i < len(self.tokens) else ""

    def is_type(self, i):
        """Returns True if token i can end a type, before a declared name: `int`, or the star of `int *`."""
        return (self.kind(i) == "name" and self.text(i) not in KEYWORDS) or (
            self.text(i) in ("*", "&") and not self.tokens[i].spaced and self.kind(i - 1) == "name"
            and self.text(i - 1) not in KEYWORDS)

    def opens_function(self, i):
        """Returns True if token i, outside of functions, is the brace that begins a function, and not the brace of a
        type or of an initializer."""
        if self.text(i) != "{" or i not in self.match:
            return False
        if self.text(i - 1) in ("const", "noexcept", "override"):
            return True
        before = self.match.get(i - 1, 0) - 1
        return self.text(i - 1) == ")" and (self.kind(before) == "name" or self.text(before) == ")")

    def function_name(self, i):
        """Returns the name of the function around token i, or "-"."""
        head = self.function[i] - 1
        while head > 0 and self.text(head) != ")":
            head -= 1
        name = self.match.get(head, 0) - 1
        return self.text(name) if self.function[i] >= 0 and self.kind(name) == "name" else "-"

    def mark_code(self):
        """Sets `function`, and sets `runs` for tokens in functions and in values of constants."""
        function, in_value = -1, False
        for i, token in enumerate(self.tokens):
            if function >= 0 and i > self.match[function]:
                function = -1
            if function < 0 and self.opens_function(i):
                function = i
            self.function[i] = function
            in_value = function < 0 and (token.text == "=" or (in_value and token.text != ";"))
            self.runs[i] = function >= 0 or in_value

    def not_run(self, i, token):
        """Yields the ranges of tokens, first and last, that must not be changed because of token i."""
        after = self.match.get(i + 1, -1)
        if token.text in NOT_RUN and after > i:
            yield i, after
        if token.text == "template" and self.text(i + 1) == "<":
            yield i, self.end_of_template(i + 1)
        if token.text == "case":
            yield i, i + 1
        if token.text == "[" and self.declares_array(i):
            yield i, self.match[i]
        if token.kind == "string":
            start = self.enclosing(i)
            if self.text(start) == "(":
                yield start, self.match[start]  # a call with a string, such as printf("...", a, b): a message

    def declares_array(self, i):
        """Returns True if the bracket at i holds the length of an array: `int a[4]`, `b[4] = {`, `c[4] = ""`."""
        last = self.match.get(i, -1)
        return last > i and self.kind(i - 1) == "name" and (
            self.is_type(i - 2) or self.text(last + 1) == "="
            and (self.text(last + 2) == "{" or self.kind(last + 2) == "string"))

    def end_of_template(self, i):
        depth = 0
        for at in range(i, len(self.tokens)):
            depth += {"<": 1, ">": -1, ">>": -2}.get(self.text(at), 0)
            if depth <= 0:
                return at
        return i

    def enclosing(self, i):
        """Returns the index of the bracket around token i, or -1."""
        at = i - 1
        while at >= 0 and not (self.text(at) in OPENING and self.match.get(at, -1) > i):
            at = self.match[at] - 1 if self.text(at) in ")]}" and at in self.match else at - 1
        return at

    def end_of_statement(self, i):
        """Returns the index of the semicolon that ends the statement at i, or -1 if a bracket closes before."""
        while i < len(self.tokens) and self.text(i) != ";":
            if self.text(i) in ")]}":
                return -1
            i = self.match[i] + 1 if self.text(i) in OPENING and i in self.match else i + 1
        return i


def tokens_of(text):
    lines = [0] + [found.end() for found in re.finditer("\n", text)]
    for found in PATTERN.finditer(text):
        kind, start, end = found.lastgroup, found.start(), found.end()
        if kind not in ("comment", "directive"):
            around = text[start - 1:start], text[end:end + 1]
            yield Token(kind, found[0], start, end, bisect.bisect(lines, start),
                        all(space.isspace() for space in around))


def match_brackets(tokens):
    """Returns a dictionary that maps the index of each bracket that has a partner to the partner's index."""
    match, opened = {}, []
    for i, token in enumerate(tokens):
        if token.kind == "sign" and token.text in OPENING:
            opened.append(i)
        elif token.kind == "sign" and token.text in ")]}":
            if opened and OPENING[tokens[opened[-1]].text] == token.text:
                match[i] = opened.pop()
                match[match[i]] = i
    return match
