#!/usr/bin/env python3
"""lower.py SUPPLEMENT GLIBC... -- FILE...: makes programs and libraries load with glibc 2.28.

Of what a file takes from a newer glibc it asks for no version any more: it gets the only one that an older glibc has,
which the files GLIBC of this machine name, or that of SUPPLEMENT, a library without versions. Anything else is an error.
"""

import collections
import re
import struct
import sys

from elftools.elf.elffile import ELFFile

NEWEST = (2, 28)
ANY_VERSION = 1


def of_glibc(version):
    """(2, 3, 4) of GLIBC_2.3.4; nothing of what is not glibc's, or is but a mark that old ones do not know."""
    match = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)*)", version)
    return tuple(map(int, match[1].split("."))) if match else None


def is_newer(version):
    return version.startswith("GLIBC_") and version != "GLIBC_PRIVATE" and (of_glibc(version) or (9,)) > NEWEST + (99,)


def defined(path):
    """Which (name, version) a library has; version is empty where it has none."""
    with open(path, "rb") as file:
        elf = ELFFile(file)
        versions, numbers = elf.get_section_by_name(".gnu.version_d"), elf.get_section_by_name(".gnu.version")
        names = {entry["vd_ndx"]: next(aux).name for entry, aux in versions.iter_versions()} if versions else {}
        for at, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
            number = numbers.get_symbol(at)["ndx"] if versions else 0
            if symbol["st_shndx"] != "SHN_UNDEF":
                yield symbol.name, names.get(number & 0x7FFF, "") if isinstance(number, int) else ""


def available_with(supplement, glibc):
    """The names that are there in no version, and those that an old glibc has in one: several would be a choice."""
    old = {found for path in glibc for found in defined(path) if of_glibc(found[1]) and not is_newer(found[1])}
    count = collections.Counter(name for name, _ in old)
    return {name for name, _ in defined(supplement)} | {name for name in count if count[name] == 1}


def sysv_hash(name):
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        value = (value ^ (value >> 24 & 0xF0)) & 0x0FFFFFFF
    return value


def lower(path, available):
    """Returns what is missing."""
    with open(path, "r+b") as file:
        elf = ELFFile(file)
        needs = elf.get_section_by_name(".gnu.version_r")
        if needs is None:
            return []
        entries = [aux for _, auxiliaries in needs.iter_versions() for aux in auxiliaries]
        newer = {aux["vna_other"] & 0x7FFF for aux in entries if is_newer(aux.name)}
        if not newer:
            return []
        first = min((aux for aux in entries if of_glibc(aux.name)), key=lambda aux: of_glibc(aux.name))
        table, missing = elf.get_section_by_name(".gnu.version"), []
        for at, symbol in enumerate(elf.get_section_by_name(".dynsym").iter_symbols()):
            number = table.get_symbol(at)["ndx"]
            if isinstance(number, int) and number & 0x7FFF in newer:
                missing += [] if symbol.name in available else [symbol.name]
                file.seek(table["sh_offset"] + 2 * at)
                file.write(struct.pack("<H", ANY_VERSION))
        rename_newer(file, needs, first)
        return missing


def rename_newer(file, needs, first):
    """The loader refuses a file for a version that nothing uses too, so `first` stands where it was."""
    at = needs["sh_offset"]
    for _ in range(needs.num_versions()):
        file.seek(at)
        _, count, _, auxiliary, following = struct.unpack("<HHIII", file.read(16))
        entry = at + auxiliary
        for _ in range(count):
            file.seek(entry)
            _, _, _, name, next_entry = struct.unpack("<IHHII", file.read(16))
            if is_newer(needs.elffile.get_section(needs["sh_link"]).get_string(name)):
                file.seek(entry)
                file.write(struct.pack("<I", sysv_hash(first.name)))
                file.seek(entry + 8)
                file.write(struct.pack("<I", first["vna_name"]))
            entry += next_entry
        at += following


def main(arguments):
    libraries, files = arguments[: arguments.index("--")], arguments[arguments.index("--") + 1 :]
    available = available_with(libraries[0], libraries[1:])
    failures = [f"{path} needs {name} of a newer glibc" for path in files for name in lower(path, available)]
    if failures:
        sys.exit("\n".join(failures) + "\nPlease add it to packaging/glibc/supplement.c.")


if __name__ == "__main__":
    main(sys.argv[1:])
