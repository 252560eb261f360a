"""What becomes of what a mapper yields: pairs and lines as they come, or one value for each key. Sent along beside
``_mapper.py``, and like it uses nothing but the standard library."""

import json
from json.encoder import encode_basestring

KEYS_MOST = 100_000  # in the table, before it is written early
VALUES_MOST = 64  # of a key, before they are combined
ALWAYS_WRITABLE = frozenset({int, float, str, bool, type(None)})


def plain(value):
    """numpy's numbers and the like."""
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        found = value.item()
        if type(found) in ALWAYS_WRITABLE:
            return found
    raise TypeError(
        f"a {type(value).__name__} cannot be a key or a value; use text, numbers, None, and lists, tuples and dicts of them"
    )


def number(value):
    """A number of Python, as numpy's have limits that sums would pass unseen."""
    encode(value)  # refuses what can be no value, whatever merges it
    if hasattr(value, "item"):
        value = plain(value)
    if not isinstance(value, (int, float)):
        name = type(value).__name__
        raise TypeError(f"a {name} cannot be merged by sum, max or min; yield a number, or merge by a function")
    return value + 0  # of True and False the numbers


dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=plain).encode
dumps_ascii = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"), default=plain).encode


def encode(value) -> bytes:
    """JSON has no tabs and no line ends, and the same value always has the same bytes."""
    kind = type(value)
    if kind is bytes:
        raise TypeError("bytes cannot be a key or a value; decode them")
    if kind is int:
        return b"%d" % value
    text = encode_basestring(value) if kind is str else dumps(value)
    try:
        return text.encode()
    except UnicodeEncodeError:  # bytes of the input that are not UTF-8
        return dumps_ascii(value).encode()


class Pairs:
    """Keys and values as they come."""

    def __init__(self):
        self.lines = []

    def add(self, key, value):
        self.lines.append(b"%b\t%b\n" % (encode(key), encode(value)))

    def take(self, is_last) -> bytes:
        output, self.lines = b"".join(self.lines), []
        return output

    def drop(self):
        self.lines = []

    def check(self, key, value):
        """Raises what add() would."""
        encode(key), encode(value)


class Lines(Pairs):
    """Lines of the mapper's own."""

    def add(self, line, _):
        self.lines.append(self.written(line) + b"\n")

    def check(self, line, _):
        self.written(line)

    @staticmethod
    def written(line) -> bytes:
        if not isinstance(line, (str, bytes)):
            return encode(line)
        data = line.encode("utf-8", "surrogateescape") if isinstance(line, str) else line
        if b"\n" in data:
            raise ValueError(f"a line has a line feed within: {line!r:.100}; yield one line after another, without their ends")
        return data


def lines_of(mapper):
    """What the mapper yields, as keys of pairs. Text, bytes and a dict are one line and not many."""

    def mapped(record):
        found = mapper(record)
        one = found is not None and isinstance(found, (str, bytes, dict))
        return [(line, None) for line in ([found] if one else found or ())]

    return mapped


class Table:
    """One value for each key. A derived class says how to combine two."""

    def __init__(self):
        self.values = {}

    def key_of(self, key):
        # 1, 1.0 and True are one key of a dict, but not here. Encoded keys are bytes, so they meet no text.
        return key if type(key) is str else encode(key)

    def take(self, is_last) -> bytes:
        if not is_last and len(self.values) < KEYS_MOST:
            return b""
        output = b"".join(
            b"%b\t%b\n" % (encode(key) if type(key) is str else key, self.encoded(value))
            for key, value in self.values.items()
        )
        self.values = {}
        return output

    def encoded(self, value) -> bytes:
        return encode(value)

    def drop(self):
        self.values = {}

    def check(self, key, value):
        encode(key), encode(value)


class Sums(Table):
    def check(self, key, value):
        encode(key), encode(number(value))

    def add(self, key, value):
        if type(key) is not str:
            key = encode(key)
        if type(value) is not int and type(value) is not float:
            value = number(value)
        values = self.values
        values[key] = values.get(key, 0) + value


class Extremes(Sums):
    def __init__(self, choose):
        super().__init__()
        self.choose = choose

    def add(self, key, value):
        key = self.key_of(key)
        if type(value) is not int and type(value) is not float:
            value = number(value)
        known = self.values.get(key)
        if known is None:
            self.values[key] = value
        elif known == value:  # 1 and 1.0: always the same text, whichever came first
            self.values[key] = known if type(known) is type(value) else min(known, value, key=encode)
        else:
            self.values[key] = self.choose(known, value)


class BadCombine(Exception):
    """For which key the function that combines raised the exception that is its cause."""

    def __init__(self, key):
        self.key = key


class Combined(Table):
    """Values of a key are combined by a function of the key and a list of values."""

    def __init__(self, combine):
        super().__init__()
        self.combine = combine
        self.count = 0

    def add(self, key, value):
        if type(value) not in ALWAYS_WRITABLE:
            encode(value)  # while it is known which line it is of
        known = self.values.setdefault(self.key_of(key), (key, []))[1]
        known.append(value)
        if len(known) >= VALUES_MOST:
            known[:] = [self.combined(key, known)]

    def combined(self, key, values):
        try:
            value = self.combine(key, values)
            encode(value)
            return value
        except Exception as error:
            raise BadCombine(key) from error

    def encoded(self, value):
        key, values = value
        return encode(values[0] if len(values) == 1 else self.combined(key, values))


def sink_for(spec, combine):
    if spec["lines"]:
        return Lines()
    how = spec["merge"]
    if combine is not None:
        return Combined(combine)
    return {"sum": Sums, "max": lambda: Extremes(max), "min": lambda: Extremes(min)}.get(how, Pairs)()
