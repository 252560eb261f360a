"""A mapper that tests send along as a file, or name as a module."""

VOWELS = set("aeiou")


def map(line):
    for letter in line:
        if letter in VOWELS:
            yield letter, 1


def lengths(line):
    return [(len(line), 1)]


def combine(key, values):
    return sum(values)
