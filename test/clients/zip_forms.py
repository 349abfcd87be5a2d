"""Makes a zip archive of a directory with zipfile, in one of the forms that it has."""

import calendar
import os
import sys
import time
import zipfile

METHODS = {"stored": zipfile.ZIP_STORED}
FIRST_TIME = calendar.timegm((1980, 1, 1, 0, 0, 0))


class Pipe:
    """A file that cannot be sought, so that sizes follow the data."""

    def __init__(self, file):
        self.write = file.write
        self.flush = file.flush


def main(form, archive, root):
    with open(archive, "wb") as file:
        target = Pipe(file) if form == "unseekable" else file
        with zipfile.ZipFile(target, "w", METHODS.get(form, zipfile.ZIP_DEFLATED)) as made:
            for directory, directories, files in os.walk(root):
                for name in sorted(directories + files):
                    path = os.path.join(directory, name)
                    add(made, path, os.path.relpath(path, root), form == "zip64")


def add(made, path, name, force_zip64):
    status = os.lstat(path)
    is_link = os.path.islink(path)
    is_directory = os.path.isdir(path) and not is_link
    modified = time.gmtime(max(status.st_mtime, FIRST_TIME))[:6]
    info = zipfile.ZipInfo(name + "/" * is_directory, modified)
    info.create_system = 3
    info.external_attr = status.st_mode << 16
    info.compress_type = zipfile.ZIP_STORED if is_link or is_directory else made.compression
    with made.open(info, "w", force_zip64=force_zip64) as entry:
        entry.write(content_of(path, is_link, is_directory))


def content_of(path, is_link, is_directory):
    if is_directory:
        return b""
    if is_link:
        return os.fsencode(os.readlink(path))
    with open(path, "rb") as file:
        return file.read()


main(*sys.argv[1:])
