"""Makes archives that are up to no good, and prints what is in them to ask for.

Usage: artifacts-hostile.py DIRECTORY ENTRIES, where ENTRIES is how many an archive may have
"""

import json
import os
import random
import struct
import sys
import zlib

KIB = 1024
MIB = 1024 * KIB
GIB = 1024 * MIB
STORED, DEFLATED = 0, 8
# A final block that is empty
FINAL_EMPTY = b"\x03\x00"

random.seed("forgefront hostile")


class Zeros:
    """Zeros by the MiB, deflated to 1 KiB each; blocks end on full bytes, so that they can stand one after the other."""

    def __init__(self):
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        content = bytes(64 * MIB)
        self.packed = packer.compress(content) + packer.flush(zlib.Z_FULL_FLUSH)
        self.content = content

    def deflated(self, size, tail=b""):
        """A stream of so many zeros, a multiple of 64 MiB, and then a tail that does not shrink; with its CRC."""
        times = size // len(self.content)
        packer = zlib.compressobj(0, zlib.DEFLATED, -15)
        end = packer.compress(tail) + packer.flush() if tail else FINAL_EMPTY
        crc = 0
        for _ in range(times):
            crc = zlib.crc32(self.content, crc)
        return self.packed * times + end, zlib.crc32(tail, crc)


def local_header(name, method, crc, packed, size):
    return struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, method, 0, 0x5B74, crc, packed, size, len(name), 0) + name


def central_record(name, method, crc, packed, size, offset):
    fields = (b"PK\1\2", 0x314, 20, 0, method, 0, 0x5B74, crc, packed, size, len(name), 0, 0, 0, 0, 0o100644 << 16, offset)
    return struct.pack("<4s6H3I5H2I", *fields) + name


def end_records(count, directory_size, offset, position):
    """With those of zip64 where there are more entries than the others can say."""
    end64 = b""
    if count >= 0xFFFF:
        end64 = struct.pack("<4sQ2H2I4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, directory_size, offset)
        end64 += struct.pack("<4sIQI", b"PK\6\7", 0, position, 1)
    few = min(count, 0xFFFF)
    return end64 + struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, few, few, directory_size, offset, 0)


class Archive:
    def __init__(self):
        self.parts = []
        self.records = []
        self.position = 0

    def put(self, *parts):
        for part in parts:
            self.parts.append(part)
            self.position += len(part)

    def add(self, name, method, packed, crc, size):
        name = name.encode()
        self.records.append(central_record(name, method, crc, len(packed), size, self.position))
        self.put(local_header(name, method, crc, len(packed), size), packed)

    def good(self):
        text = b"good\n"
        self.add("good.txt", STORED, text, zlib.crc32(text), len(text))
        return self

    def write(self, path):
        offset = self.position
        self.put(*self.records)
        self.put(end_records(len(self.records), self.position - offset, offset, self.position))
        with open(path, "wb") as file:
            file.writelines(self.parts)


def nested(zeros, size):
    """As 42.zip: archives in an archive, and at the bottom a file of zeros that takes a thousandth of its size."""
    packed, crc = zeros.deflated(size)
    bottom = Archive()
    bottom.add("0.dll", DEFLATED, packed, crc, size)
    bottom.write(os.path.join(sys.argv[1], "bottom.zip"))
    with open(os.path.join(sys.argv[1], "bottom.zip"), "rb") as file:
        inner = file.read()
    os.remove(file.name)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed_inner = packer.compress(inner) + packer.flush()
    archive = Archive().good()
    for digit in "0123456789abcdef":
        archive.add(f"lib {digit}.zip", DEFLATED, packed_inner, zlib.crc32(inner), len(inner))
    archive.add("0.dll", DEFLATED, packed, crc, size)
    return archive


def one(name, packed, crc, size):
    archive = Archive().good()
    archive.add(name, DEFLATED, packed, crc, size)
    return archive


def overlapping(count):
    """As the bombs of Fifield: the data of each entry quotes the local header of the next one and goes on with its data."""
    text = b"".join(b"%08x\n" % random.getrandbits(32) for _ in range(1000)) * 100
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    kernel = packer.compress(text) + packer.flush()
    quoted, content = b"", b""  # what stands before the kernel, packed and as it unpacks
    entries = []
    for index in reversed(range(count)):
        name = f"{index:04}.txt".encode()
        crc = zlib.crc32(text, zlib.crc32(content))
        packed_size, size = len(quoted) + len(kernel), len(content) + len(text)
        entries.append((name, DEFLATED, crc, packed_size, size))
        header = local_header(*entries[-1])
        content = header + content
        quoted = struct.pack("<B2H", 0, len(header), len(header) ^ 0xFFFF) + header + quoted
    archive = Archive()
    # Nothing quotes the first header
    archive.put(quoted[5:], kernel)
    for name, method, crc, packed_size, size in reversed(entries):
        offset = archive.position - packed_size - len(local_header(name, method, crc, packed_size, size))
        archive.records.append(central_record(name, method, crc, packed_size, size, offset))
    return archive


def many(count, width):
    """Empty entries, each with a local header of its own."""
    archive = Archive().good()
    for index in range(count - 1):
        archive.add(f"d{index % 1000:03}/{index:0{width}}", STORED, b"", 0, 0)
    return archive


def wide_directory():
    """Few entries, in a directory that says it has 100 MiB, and has."""
    archive = Archive().good()
    archive.records.append(bytes(100 * MIB))
    return archive


def ask(entry, *, gzip=False, whole=False):
    """`whole` is what must come to its end with 200: what is honest, and a lie too long to be looked at that only the client unpacks."""
    return {"kind": "entry", "entry": entry, "gzip": gzip, "isWhole": whole}


def tree(*, whole=False):
    return {"kind": "tree", "isWhole": whole}


def tar(*, whole=False):
    """Entries that are refused by the directory alone are left out of it."""
    return {"kind": "tar", "isWhole": whole}


def cases(most_entries):
    zeros = Zeros()
    noise = random.randbytes(3 * MIB // 2)
    gib, gib_crc = zeros.deflated(1 * GIB)
    some, some_crc = zeros.deflated(128 * MIB)
    under, under_crc = zeros.deflated(1 * GIB, noise)
    short, short_crc = zeros.deflated(0, noise)
    yield (
        "nested",
        "archives in an archive, and 2 GiB in 2 MiB, as 42.zip",
        nested(zeros, 2 * GIB),
        [tree(whole=True), ask("0.dll"), ask("0.dll", gzip=True), tar(whole=True)],
    )
    yield (
        "under",
        "1 GiB in 2.5 MiB: a ratio that is let through",
        one("under.bin", under, under_crc, 1 * GIB + len(noise)),
        [ask("under.bin", gzip=True, whole=True), ask("under.bin", whole=True), tar(whole=True)],
    )
    yield (
        "lie_at_once",
        "128 MiB in 128 KiB that say they are 100 KiB",
        one("lie.bin", some, some_crc, 100 * KIB),
        [ask("lie.bin"), ask("lie.bin", gzip=True), tar()],
    )
    yield (
        "lie_as_it_flows",
        "1 GiB in 1 MiB that says it is 100 KiB",
        one("lie.bin", gib, gib_crc, 100 * KIB),
        [ask("lie.bin"), ask("lie.bin", gzip=True, whole=True), tar()],
    )
    yield (
        "lie_late",
        "1 GiB in 1 MiB that says it is 300 MiB",
        one("lie.bin", gib, gib_crc, 300 * MIB),
        [ask("lie.bin"), tar()],
    )
    yield (
        "lie_short",
        "1.5 MiB that say they are 3 MiB",
        one("lie.bin", short, short_crc, 3 * MIB),
        [ask("lie.bin"), tar()],
    )
    yield ("overlapping", "400 entries in one place, as Fifield's", overlapping(400), [tree(), ask("0000.txt"), tar()])
    yield (
        "allowed",
        f"{most_entries:,} entries: as many as are let through",
        many(most_entries, 20),
        [tree(whole=True), ask("good.txt", whole=True), tar(whole=True)],
    )
    yield (
        "too_many",
        f"{2 * most_entries:,} entries",
        many(2 * most_entries, 6),
        [tree(), ask("good.txt"), tar()],
    )
    yield ("too_wide", "a directory of 100 MiB", wide_directory(), [tree()])


if __name__ == "__main__":
    made = []
    for name, title, archive, asks in cases(int(sys.argv[2])):
        path = os.path.join(sys.argv[1], f"{name}.zip")
        archive.write(path)
        made.append({"name": name, "title": title, "path": path, "bytes": os.path.getsize(path), "asks": asks})
    json.dump(made, sys.stdout)
