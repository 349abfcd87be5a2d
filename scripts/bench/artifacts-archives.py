"""Makes the archives that the lane of artifacts is measured with, and prints where in them the entries are that are asked for.

Usage: artifacts-archives.py many|large FILE JSON

They are written as GitLab Runner writes: to a stream, with sizes behind the data. Every byte comes from a fixed seed.
"""

import json
import random
import struct
import sys
import zipfile
from zipfile import ZIP_DEFLATED, ZIP_STORED

KIB = 1024
MIB = 1024 * KIB
KNOWN_BYTES = 100 * KIB
# A year that every tool accepts
DATE = (2026, 11, 20, 10, 0, 0)
FASTEST = 1
USUAL = 6

random.seed("forgefront artifacts")


class Stream:
    """A file that cannot be rewound, so that sizes are written behind the data."""

    def __init__(self, file):
        self.write = file.write
        self.flush = file.flush


class Pool:
    """Bytes made once, of which pieces from here and there are taken."""

    def __init__(self, content):
        self.content = content

    def take(self, size):
        start = random.randrange(len(self.content) - min(size, len(self.content)) + 1)
        return self.content[start : start + size]

    def pieces(self, size):
        while size > 0:
            piece = self.take(min(size, 4 * MIB))
            size -= len(piece)
            yield piece


def pools(size):
    """Text and noise to take from, more of both for a larger archive."""
    pool_size = max(1 * MIB, min(16 * MIB, size // 8))
    return Pool(log_lines(pool_size)), Pool(random.randbytes(pool_size))


def log_lines(most):
    words = ["compile", "link", "resolve", "fetch", "unpack", "test", "lint", "bundle", "upload", "cache"]
    levels = ["INFO", "INFO", "INFO", "DEBUG", "WARN"]
    lines = []
    size = 0
    while size < most:
        line = (
            f"2026-11-20T10:{random.randrange(60):02}:{random.randrange(60):02}.{random.randrange(1000):03}Z "
            f"{random.choice(levels)} [worker-{random.randrange(16)}] {random.choice(words)} "
            f"packages/module-{random.randrange(400):03}/src/component-{random.randrange(90):02}.ts "
            f"finished in {random.randrange(5000)} ms, id {random.getrandbits(32):08x}\n"
        ).encode()
        lines.append(line)
        size += len(line)
    return b"".join(lines)


class Writer:
    def __init__(self, path):
        self.path = path
        self.file = open(path, "wb")
        self.zip = zipfile.ZipFile(Stream(self.file), "w", allowZip64=True)
        self.known = {}

    def add(self, name, pieces, size, method=ZIP_DEFLATED, level=FASTEST, key=None):
        info = zipfile.ZipInfo(name, DATE)
        info.create_system = 3
        info.external_attr = 0o100644 << 16
        info.compress_type = method
        info._compresslevel = level
        info.file_size = size
        with self.zip.open(info, "w") as entry:
            for piece in pieces:
                entry.write(piece)
        if key is not None:
            self.known[key] = info
        return info

    def position(self):
        return self.zip.fp.tell()

    def close(self):
        count = len(self.zip.infolist())
        self.zip.close()
        size = self.file.tell()
        start = self.zip.start_dir
        self.file.close()
        with open(self.path, "rb") as file:
            known = {key: placed(file, info) for key, info in self.known.items()}
        return {"path": self.path, "bytes": size, "entries": count, "directoryBytes": size - start, "known": known}


def placed(file, info):
    file.seek(info.header_offset + 26)
    name, extra = struct.unpack("<HH", file.read(4))
    return {
        "name": info.filename,
        "bytes": info.file_size,
        "packedBytes": info.compress_size,
        "dataOffset": info.header_offset + 30 + name + extra,
    }


def file_name(index):
    module = index // 100
    return f"build/modules/module-{module:04}/src/main/generated/component-{index:06}.txt"


def report_name(index):
    return f"reports/html/coverage-of-one-source-file-by-its-number-{index:06}.html"


def add_small(writer, text, noise, name, index):
    """Nine in ten are text of 1 to 60 KiB; the others do not shrink."""
    if index % 10 < 9:
        size = random.randrange(1 * KIB, 60 * KIB)
        writer.add(name, [text.take(size)], size)
    else:
        size = random.randrange(1 * KIB, 120 * KIB)
        writer.add(name, [noise.take(size)], size, ZIP_STORED)


def add_known(writer, text, key):
    writer.add(f"logs/of-the-job-itself/{key}-100-KiB.log", [text.take(KNOWN_BYTES)], KNOWN_BYTES, level=USUAL, key=key)


def make_many(path, entries, size):
    """Many entries, a fifth of them in one directory, and a few large ones that fill it up to its size."""
    text, noise = pools(size)
    writer = Writer(path)
    small = entries - 8
    for index in range(small):
        if index == small // 4:
            add_known(writer, text, "other")
        if index == small // 2:
            add_known(writer, text, "middle")
        name = report_name(index) if index % 5 == 0 else file_name(index)
        add_small(writer, text, noise, name, index)
    left = max(0, size - writer.position())
    for index in range(6):
        share = left // 6
        writer.add(f"cache/layers/layer-{index}.bin", noise.pieces(share), share, ZIP_STORED)
    return writer.close()


def make_large(path, size, text_size):
    """A long log, deflated, and as many bytes that do not shrink, both behind all else; before them what makes it large."""
    text, noise = pools(size)
    writer = Writer(path)
    blobs = 10
    share = size // blobs
    for index in range(blobs):
        writer.add(f"images/disk-{index}.img", noise.pieces(share), share, ZIP_STORED)
        for number in range(100):
            add_small(writer, text, noise, file_name(index * 100 + number), number)
        if index == blobs // 2:
            add_known(writer, text, "middle")
    add_known(writer, text, "other")
    log = writer.add("logs/trace.log", text.pieces(text_size), text_size, level=USUAL, key="log")
    packed = log.compress_size
    writer.add("logs/packed.bin", noise.pieces(packed), packed, ZIP_STORED, key="stored")
    return writer.close()


MAKERS = {"many": make_many, "large": make_large}

if __name__ == "__main__":
    kind, target, sizes = sys.argv[1:]
    json.dump(MAKERS[kind](target, **json.loads(sizes)), sys.stdout)
