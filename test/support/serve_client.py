#!/usr/bin/env python3
"""The client's side of kbench serve's protocol (src/partner/wire.h), by hand, for tests.

serve_client.py HOST PORT TOKEN-FILE hold SECONDS [N]     N times shows the token and stays; prints each status that the server gave
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


def connect(host, port, limit=5, source=""):
    connection = socket.create_connection((host, port), timeout=limit, source_address=(source, 0) if source else None)
    return (connection,) + read_hello(connection)


def read_hello(connection):
    """Its status, and the server's random bytes."""
    hello = receive(connection, 48)
    if hello[:8] != MAGIC:
        raise ValueError("another protocol")
    return struct.unpack(">Q", hello[8:16])[0], hello[16:]


def make_proof(nonce, token, own):
    return own + hmac.new(token, MAGIC + b"client" + nonce + own, hashlib.sha256).digest()


def prove(connection, nonce, token):
    """The server's status: 0 for those whom it serves."""
    own = os.urandom(32)
    connection.sendall(make_proof(nonce, token, own))
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
    if len(words) not in (5, 6) or words[3] != "hold":
        raise SystemExit(__doc__)
    held = []
    for _ in range(int(words[5]) if len(words) == 6 else 1):
        connection, status, nonce = connect(words[0], int(words[1]))
        held.append(connection)
        print(status or prove(connection, nonce, read_token(words[2])), flush=True)
    time.sleep(float(words[4]))


if __name__ == "__main__":
    main(sys.argv[1:])
