# SPDX-License-Identifier: MIT
"""Makes small bugs in the functions of Python files, like those that operators.py makes in C."""
import ast
import io
import tokenize

from operators import COMPARISONS, SIGNS, Edit

WORDS = {**{old: ("comparison", new) for old, new in COMPARISONS.items()},
         **{old: ("sign", new) for old, new in SIGNS.items()},
         "and": ("junction", "or"), "or": ("junction", "and"), "not": ("negation", ""),
         "True": ("constant-less", "False"), "False": ("constant-more", "True"),
         "min": ("swap", "max"), "max": ("swap", "min")}


def functions_of(tree):
    """Yields the first and the last line of each function's body, without the docstring, and its name. An outer
    function comes before the functions inside it, so that edits_of() names the inner function for a line that is in
    both."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body:
                yield body[0].lineno, node.end_lineno, node.name


def edits_of(source):
    """Yields all edits of a file's text after which it is still Python, from first to last, each with the name of its
    function."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    functions = {line: name for first, last, name in functions_of(ast.parse(source))
                 for line in range(first, last + 1)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line, start = token.start[0], starts[token.start[0] - 1] + token.start[1]
        if line in functions:
            for operator, new in edits_of_token(token, source, start):
                edit = Edit(line, operator, start, start + len(token.string), new)
                if is_python(source[:start] + new + source[edit.end:]):
                    yield functions[line], edit


def edits_of_token(token, source, start):
    if token.type == tokenize.NUMBER and token.string.isdigit():
        yield "constant-more", str(int(token.string) + 1)
        if token.string != "0":
            yield "constant-less", str(int(token.string) - 1)
    elif token.string in ("if", "while") and source[start:].startswith(token.string + " "):
        yield "condition-not", token.string + " not"
    elif token.string in WORDS and (token.type == tokenize.NAME or source[start - 1] == " "):
        yield WORDS[token.string]


def is_python(text):
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True
