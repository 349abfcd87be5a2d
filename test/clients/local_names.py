"""Names under localhost, for programs whose C library does not know them."""

import socket


def install():
    """Finds every name under localhost on this machine, as a browser does."""
    resolve = socket.getaddrinfo

    def find(host, *more, **others):
        return resolve("127.0.0.1" if str(host).endswith(".localhost") else host, *more, **others)

    socket.getaddrinfo = find
