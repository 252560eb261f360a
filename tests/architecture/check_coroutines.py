"""What g++ 12 miscompiles or Asio swallows: before `co_await`, name it.

Within one full expression that contains co_await these lead to use after free or a double free: a lambda that captures
by value, a braced temporary or argument, and an awaitable chosen by ?:. And asio::detached drops exceptions silently.
"""

import re

import source_tree

# A capture list other than [], [&], [&x] and [this]; not a subscript and not a structured binding.
_LAMBDA = re.compile(r"(?<![\w)\]])\[(?!\s*(?:(?:&\w*|this)\s*,?\s*)*\])[^\[\]]*\]\s*(?:\(|\{|mutable\b|->)")
_BRACED_TEMPORARY = re.compile(r"\b[A-Za-z_][\w:]*(?:<[^;{}()]*>)?\{")
_BRACED_ARGUMENT = re.compile(r"[(,]\s*\{")
_CHOSEN = re.compile(r"co_await\s*\(")
_HEAD = re.compile(r"\b(?:if|while|for|switch)(?:\s+constexpr)?\s*$")

_OPENING = {")": "(", "]": "[", "}": "{"}


def _begin_of(code, at):
    """Where the full expression around `at` begins: behind the nearest ; { } or the ( of an if, while, for, switch."""
    depth = 0
    for i in range(at - 1, -1, -1):
        c = code[i]
        if c in ")]":
            depth += 1
        elif c == "}":
            ends_expression = depth > 0 or re.match(r"\s*[),.(]", code[i + 1:i + 80])
            if not ends_expression:
                return i + 1
            depth += 1
        elif c in "([":
            if depth == 0 and _HEAD.search(code[max(0, i - 40):i]):
                return i + 1
            depth = max(depth - 1, 0)
        elif c == "{":
            if depth == 0:
                return i + 1
            depth -= 1
        elif c == ";" and depth == 0:
            return i + 1
    return 0


def _end_of(code, begin, at):
    """Where it ends: at its ; or at the bracket that closes the head or the block it stands in."""
    open_brackets = []
    for i in range(begin, len(code)):
        c = code[i]
        if c in "([{":
            open_brackets.append(c)
        elif c in ")]}":
            if not open_brackets:
                return i
            open_brackets.pop()
        elif c == ";" and i > at and "{" not in open_brackets:
            return i
    return len(code)


def _chooses_awaitable(expression):
    for match in _CHOSEN.finditer(expression):
        depth = 0
        for c in expression[match.end() - 1:]:
            depth += (c in "([{") - (c in ")]}")
            if c == "?" and depth == 1:
                return True
            if depth == 0:
                break
    return False


def _faults(expression):
    if _LAMBDA.search(expression):
        yield "a lambda that captures by value"
    if _BRACED_TEMPORARY.search(expression):
        yield "a braced temporary"
    if _BRACED_ARGUMENT.search(expression):
        yield "a braced argument"
    if _chooses_awaitable(expression):
        yield "an awaitable chosen by ?:"


def check(sources):
    wrong = []
    for source in sources:
        if not source.is_cpp:
            continue
        code = source.code
        for match in re.finditer(r"\bco_await\b", code):
            begin = _begin_of(code, match.start())
            expression = code[begin:_end_of(code, begin, match.start())]
            wrong += [f"{source.path}:{source.line_of(match.start())}: {fault} in the expression of a co_await; "
                      "name it in a statement of its own" for fault in _faults(expression)]
        for match in re.finditer(r"\basio::detached\b|\bdetached_t\b", code):
            wrong.append(f"{source.path}:{source.line_of(match.start())}: asio::detached drops exceptions; "
                         "pass net::AbortOnException")
    return wrong


def _in_coroutine(line):
    return ("worker/x.cpp", "asio::awaitable<void> f(Request request) {\n  prepare(request);\n  " + line + "\n}\n")


BAD = [_in_coroutine(line) for line in (
    "co_await run([t] { return t; });",
    "co_await run([self]() -> asio::awaitable<void> { co_return; });",
    "co_await run([x = std::move(y)]() mutable { use(x); });",
    "co_await run([=] { use(y); });",
    "co_await run([&a, b] { use(a, b); });",
    "co_await co_spawn(pool, [self] { return self->load(); }, no_throw);",
    "co_await send(Request{1, 2});",
    "co_await send(Request{.job = 1});",
    "co_await send(\n      wire::Request<int>{1,\n                   2});",
    "co_await send({1, 2});",
    "co_await send(target, {1, 2});",
    "co_await send(std::vector<int>{1, 2});",
    "co_await (is_fast ? f() : g());",
    "co_await (is_fast\n      ? f()\n      : g());",
    "const auto [error, n] = co_await send(Request{1});",
    "if (co_await send(Request{1})) stop();",
    "while (const auto x = co_await next([t] { return t; })) use(x);",
    "co_return co_await send(Request{1});",
    "use(Request{1}, co_await next());",
    "use(co_await next(), [self] { self->go(); });",
    "asio::co_spawn(io, f(), asio::detached);",
)]

GOOD = [_in_coroutine(line) for line in (
    "co_await send(request);",
    "co_await send(std::move(request));",
    "co_await send(std::string(3, 'x'), 7, \"text {1, 2} [t] { ? : }\");",
    "co_await run([&] { return 1; });",
    "co_await run([&a, &b] { return a + b; });",
    "co_await run([this] { return go(); });",
    "co_await run([] { return 1; });",
    "const auto [error, size] = co_await socket.async_read_some(buffer, no_throw);",
    "const auto x = ready ? co_await f() : y;",
    "if (co_await f() && values[i] (3)) { Request other{1, 2}; use({3}); }",
    "if (!co_await f()) { auto later = [self] { self->go(); }; later(); }",
    "while (const auto payload = co_await connection->receive()) take(*payload, {1});",
    "for (const auto& entry : co_await list()) { use(Request{1}); }",
    "const Request named{1, 2};\n  co_await send(named);\n  const Request after{3};",
    "auto body = [self]() -> asio::awaitable<void> { co_await self->run(); };",
    "asio::co_spawn(io, [self]() -> asio::awaitable<void> { co_await self->run(); }, AbortOnException());",
    "timer.async_wait([self](const auto& error) { if (!error) self->close(); });\n  co_await timer_.wait(no_throw);",
    "// co_await send(Request{1});\n  /* co_await (a ? b : c); asio::detached */",
    "co_await send(1'000, '{');",
)]

if __name__ == "__main__":
    source_tree.main(check, BAD, GOOD)
