"""Makes a zip archive of a directory with zipfile, lists what zipfile or tarfile find in one, or prints one file of it."""

import calendar
import json
import os
import stat
import sys
import tarfile
import zipfile

KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "directory", stat.S_IFLNK: "link"}


def make(archive, root):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as made:
        for directory, directories, files in os.walk(root):
            for name in directories + files:
                path = os.path.join(directory, name)
                add(made, path, os.path.relpath(path, root))


def add(made, path, name):
    if not os.path.islink(path):
        made.write(path, name)
        return
    link = zipfile.ZipInfo(name, (2024, 1, 2, 3, 4, 6))
    link.create_system = 3
    link.external_attr = os.lstat(path).st_mode << 16
    made.writestr(link, os.readlink(path))


def list_zip(archive):
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            mode = info.external_attr >> 16
            kind = KINDS[stat.S_IFMT(mode)]
            mtime = calendar.timegm(info.date_time)
            yield info.filename, kind, stat.S_IMODE(mode), mtime, opened.read(info)


def list_tar(archive):
    with tarfile.open(archive, "r:") as opened:
        for info in opened:
            kind = "link" if info.issym() else "directory" if info.isdir() else "file"
            content = os.fsencode(info.linkname) if info.issym() else b""
            if info.isfile():
                content = opened.extractfile(info).read()
            name = info.name + "/" if info.isdir() else info.name
            yield name, kind, info.mode, info.mtime, content


def list_all(archive):
    find = list_tar if tarfile.is_tarfile(archive) else list_zip
    names = ("path", "kind", "mode", "mtime", "content")
    json.dump([dict(zip(names, (*one[:4], one[4].decode("latin-1")))) for one in find(archive)], sys.stdout)


def print_one(archive, name):
    if tarfile.is_tarfile(archive):
        with tarfile.open(archive, "r:") as opened:
            sys.stdout.buffer.write(opened.extractfile(name).read())
    else:
        with zipfile.ZipFile(archive) as opened:
            sys.stdout.buffer.write(opened.read(name))


COMMANDS = {"make": make, "list": list_all, "print": print_one}
COMMANDS[sys.argv[1]](*sys.argv[2:])
