#!/usr/bin/env python3
"""The client's side of kbench serve's protocol (src/partner/wire.h), by hand, for tests.

serve_client.py HOST PORT TOKEN-FILE hold SECONDS     shows the token and stays; prints the status that the server gave
"""
import hashlib
import hmac
import os
import socket
import struct
import sys
import time

MAGIC = b"KBENCH1\n"


def receive(connection, count):
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def connect(host, port, limit=5):
    connection = socket.create_connection((host, port), timeout=limit)
    hello = receive(connection, 48)
    if hello[:8] != MAGIC:
        raise ValueError("another protocol")
    return connection, struct.unpack(">Q", hello[8:16])[0], hello[16:]


def prove(connection, nonce, token):
    """The server's status: 0 for those whom it serves."""
    own = os.urandom(32)
    connection.sendall(own + hmac.new(token, MAGIC + b"client" + nonce + own, hashlib.sha256).digest())
    answer = receive(connection, 40)
    status = struct.unpack(">Q", answer[:8])[0]
    expected = hmac.new(token, MAGIC + b"server" + nonce + own, hashlib.sha256).digest()
    if status == 0 and not hmac.compare_digest(answer[8:], expected):
        raise ValueError("the server does not have the token")
    return status


def read_token(path):
    with open(path) as file:
        return bytes.fromhex(file.read().strip())


def request(*words):
    return struct.pack(">6Q", *words)


def main(words):
    if len(words) != 5 or words[3] != "hold":
        raise SystemExit(__doc__)
    connection, status, nonce = connect(words[0], int(words[1]))
    print(status or prove(connection, nonce, read_token(words[2])), flush=True)
    time.sleep(float(words[4]))


if __name__ == "__main__":
    main(sys.argv[1:])
