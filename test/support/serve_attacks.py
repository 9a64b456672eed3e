"""The clients that test/support/serve_fuzzer.py lets loose on a kbench serve: each thread does what it draws, again and again."""
import collections
import contextlib
import errno
import random
import socket
import struct
import threading
import time

from serve_client import make_proof, prove, read_hello, read_token, receive, request

HOST = "127.0.0.1"
SOURCES = 40            # addresses of the loopback; the server takes four greetings of each at a time
WAIT = 20               # seconds; longer than any limit of the server but that of idle sessions
OPEN, ROUND, COUNT = 1, 2, 3
ECHO_TCP, ECHO_UDP, STREAM_TCP, STREAM_UDP, ACCEPTS = range(5)
WRONG_TOKEN, WRONG_REQUEST, LATE_DATA = 3, 5, 7         # statuses
HUGE = 2**64 - 1
# They wait for seconds with one of the few sessions, or take all greetings: too many of them would keep the others out.
SLOW = {"do_slow_proof", "do_slow_request", "do_wrong_cookies", "do_wrong_datagrams", "do_silent_session", "do_round_without_data",
        "do_count_flood", "do_many_at_once"}
SERVED = {"do_echo", "do_echo_datagrams", "do_accepts"}

OUT_OF_BOUNDS = [
    (0, 0, 0, 0, 0, 0), (9, 0, 0, 0, 0, 0), (HUGE,) * 6, (OPEN, 5, 8, 0, 0, 0), (OPEN, HUGE, 8, 0, 0, 0),
    (OPEN, ECHO_TCP, 0, 0, 0, 0),
    (OPEN, ECHO_TCP, 2**20 + 1, 0, 0, 0), (OPEN, ECHO_TCP, HUGE, 0, 0, 0), (OPEN, ECHO_UDP, 32769, 0, 0, 0), (OPEN, STREAM_TCP, 63, 0, 0, 0),
    (OPEN, STREAM_UDP, 0, 0, 0, 0), (OPEN, ACCEPTS, 1, 0, 0, 0), (OPEN, ACCEPTS, 0, 4096, 0, 0), (OPEN, ECHO_TCP, 8, 4095, 0, 0),
    (OPEN, ECHO_TCP, 8, 2**26 + 1, 0, 0), (OPEN, ECHO_TCP, 8, HUGE, 0, 0), (OPEN, ECHO_TCP, 8, 0, 0, 2), (ROUND, 0, 0, 0, 0, 0),
    (ROUND, 0, 0, 0, 1, 0), (ROUND, 0, 0, 0, 2**40 + 1, 0), (ROUND, 0, 0, 0, HUGE, 0), (ROUND, 0, 0, 0, 1, 1),
]
AFTER_ACCEPTS = [
    (OPEN, ACCEPTS, 0, 0, 0, 0), (OPEN, ECHO_TCP, 8, 0, 0, 0), (ROUND, 0, 0, 0, 129, 0), (ROUND, 0, 0, 0, 1, 1), (ROUND, 0, 0, 0, 129, 1),
]


class Refused(Exception):
    pass


class Wrong(Exception):
    """The server did what it must not."""


# ---- what all threads share -----------------------------------------------------------------------------------

class Shared:
    def __init__(self, words):
        self.port, self.pid, self.seconds, self.seed = int(words[0]), int(words[2]), float(words[3]), int(words[4])
        self.token = read_token(words[1])
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        self.problems = []
        self.stop = threading.Event()
        self.lengths = 0
        self.proofs = collections.deque(maxlen=16)
        # Few of the sessions: others are to have some.
        self.silent = {"greeting": collections.deque(), "session": collections.deque()}

    def add(self, what, number=1):
        with self.lock:
            self.counts[what] += number

    def problem(self, text):
        with self.lock:
            self.counts["problems"] += 1
            if len(self.problems) < 10:
                self.problems.append(text)

    def next_length(self):
        with self.lock:
            self.lengths += 1
            return self.lengths % 64

    def keep_silent(self, kind, connection):
        """Open until others are; the oldest makes room."""
        with self.lock:
            kept = self.silent[kind]
            kept.append(connection)
            oldest = kept.popleft() if len(kept) > {"greeting": 24, "session": 2}[kind] else None
        if oldest:
            oldest.close()

    def close_silent(self):
        for kept in self.silent.values():
            while kept:
                kept.popleft().close()


# ---- one thread -----------------------------------------------------------------------------------------------

class Fuzzer(threading.Thread):
    def __init__(self, shared, number):
        super().__init__(daemon=True)
        self.is_open = False
        self.shared, self.random = shared, random.Random("%d %d" % (shared.seed, number))
        self.actions = [getattr(self, name) for name in sorted(dir(self)) if name.startswith("do_")]
        self.weights = [1 if action.__name__ in SLOW else 20 for action in self.actions]

    def run(self):
        while not self.shared.stop.is_set():
            self.act(*self.random.choices(self.actions, self.weights))
            time.sleep(self.random.random() * 0.02)

    def act(self, action):
        name = action.__name__[3:]
        self.is_open = False
        self.shared.add(name)
        try:
            with contextlib.ExitStack() as stack:
                action(stack)
        except Refused:
            self.shared.add("refused")
        except Wrong as wrong:
            self.shared.problem("%s: %s" % (name, wrong))
        except socket.timeout:
            self.shared.problem("%s: no answer within %d s" % (name, WAIT))
        except (EOFError, ConnectionError):
            self.shared.add("lost" if self.is_open and action.__name__ in SERVED else "ended")
        except OSError as error:
            if error.errno == errno.ENOTCONN:
                self.shared.add("ended")
            else:
                self.shared.problem("%s: %s" % (name, error))

    # -- steps

    def source(self):
        return "127.0.0.%d" % self.random.randint(1, SOURCES)

    def dial(self, stack, source=None, port=None):
        self.shared.add("connections")
        connection = socket.create_connection((HOST, port or self.shared.port), WAIT, (source or self.source(), 0))
        return stack.enter_context(connection)

    def greet(self, stack, source=None):
        connection = self.dial(stack, source)
        status, nonce = read_hello(connection)
        if status:
            raise Refused
        return connection, nonce

    def session(self, stack, source=None):
        connection, nonce = self.greet(stack, source)
        if prove(connection, nonce, self.shared.token):
            raise Refused
        self.shared.add("handshakes")
        return connection

    def ask(self, connection, *words):
        self.shared.add("requests")
        connection.sendall(request(*words))
        return self.answer(connection)

    def answer(self, connection):
        """Status, port, cookie, counts."""
        data = receive(connection, 96)
        status, port = struct.unpack(">2Q", data[:16])
        if status == LATE_DATA:
            raise EOFError
        return status, port, data[16:32], struct.unpack(">8Q", data[32:])

    def opened(self, stack, kind, size, buffer=0):
        source = self.source()
        control = self.session(stack, source)
        status, port, cookie, _ = self.ask(control, OPEN, kind, size, buffer, 0, 0)
        if status:
            raise Wrong("OPEN %d of %d bytes has status %d" % (kind, size, status))
        self.is_open = True
        return control, source, port, cookie

    def until_end(self, connection):
        """All that it sends, thrown away. It must end."""
        until = time.monotonic() + WAIT
        with contextlib.suppress(ConnectionError):
            while connection.recv(65536):
                if time.monotonic() > until:
                    raise socket.timeout
        connection.close()

    def must_refuse(self, connection, what):
        """A request of which all was read: the reason comes, then the end."""
        for _ in range(2):
            status = self.answer(connection)[0]
            if status:
                break
        if status != WRONG_REQUEST:
            raise Wrong("%s has status %d" % (what, status))
        self.until_end(connection)
        self.shared.add("bad requests refused")

    def reset(self, connection):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()

    def leave(self, connection, ways=4):
        """In one of the ways in which one can; the last is to wait."""
        way = self.random.randrange(ways)
        if way == 0:
            self.reset(connection)
        elif way == 1:
            connection.shutdown(socket.SHUT_WR)
            self.until_end(connection)
        elif way == 2:
            connection.close()
        else:
            self.until_end(connection)

    def datagram_socket(self, stack, source):
        sock = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        sock.bind((source, 0))
        sock.settimeout(WAIT)
        return sock

    def throw(self, sock, port, data):
        self.shared.add("datagrams")
        sock.sendto(data, (HOST, port))

    # -- before the token

    def do_random_bytes(self, stack):
        connection = self.dial(stack)
        if self.random.random() < 0.5:
            read_hello(connection)
        connection.sendall(self.random.randbytes(self.random.randint(1, 300)))
        self.leave(connection)

    def do_truncated_proof(self, stack):
        connection, nonce = self.greet(stack)
        connection.sendall(make_proof(nonce, self.shared.token, self.random.randbytes(32))[:self.shared.next_length()])
        self.leave(connection)

    def refused_proof(self, connection, proof):
        connection.sendall(proof)
        status = struct.unpack(">Q", receive(connection, 40)[:8])[0]
        if status != WRONG_TOKEN:
            raise Wrong("status %d" % status)
        self.shared.add("proofs refused")
        self.until_end(connection)

    def do_wrong_proof(self, stack):
        connection, nonce = self.greet(stack)
        proof = bytearray(make_proof(nonce, self.shared.token, self.random.randbytes(32)))
        if self.random.random() < 0.5:
            proof[self.random.randrange(64)] ^= 1 << self.random.randrange(8)
        else:
            proof[32:] = self.random.choice([bytes(32), nonce, proof[:32], self.random.randbytes(32)])
        self.refused_proof(connection, bytes(proof))

    def do_replayed_proof(self, stack):
        connection, nonce = self.greet(stack)
        proof = make_proof(nonce, self.shared.token, self.random.randbytes(32))
        earlier = self.random.choice(list(self.shared.proofs) or [bytes(64)])
        if self.random.random() < 0.3:
            connection.sendall(proof)
            if struct.unpack(">Q", receive(connection, 40)[:8])[0]:
                raise Refused
            self.shared.add("handshakes")
            self.shared.proofs.append(proof)
        else:
            self.refused_proof(connection, earlier)

    def do_many_at_once(self, stack):
        """More than it greets, or more than it serves."""
        if self.random.random() < 0.7:
            every = [self.dial(stack) for _ in range(self.random.randint(33, 60))]
            time.sleep(self.random.random())
        else:
            every = []
            for _ in range(12):
                with contextlib.suppress(Refused, EOFError, ConnectionError):
                    every.append(self.session(stack))
        for connection in every:
            if self.random.random() < 0.5:
                self.reset(connection)

    def do_silent_greeting(self, _stack):
        with contextlib.ExitStack() as kept:
            connection, nonce = self.greet(kept)
            connection.sendall(nonce[:self.random.randrange(32)])
            self.shared.keep_silent("greeting", kept.pop_all())

    def do_reset_at_once(self, stack):
        for _ in range(self.random.randint(1, 20)):
            self.reset(self.dial(stack))

    def do_slow_proof(self, stack):
        connection, nonce = self.greet(stack)
        proof = make_proof(nonce, self.shared.token, self.random.randbytes(32))
        for at in range(6):
            connection.sendall(proof[at:at + 1])
            if self.shared.stop.wait(1):
                return
        self.until_end(connection)

    # -- with the token

    def do_silent_session(self, _stack):
        with contextlib.ExitStack() as kept:
            if self.random.random() < 0.5:
                self.session(kept)
            else:
                self.opened(kept, ACCEPTS, 0)
            self.shared.keep_silent("session", kept.pop_all())

    def do_random_requests(self, stack):
        control = self.session(stack)
        for _ in range(self.random.randint(1, 20)):
            self.shared.add("requests")
            words = [self.random.choice([0, 1, 2, 3, 4, 64, 4096, self.random.getrandbits(64)]) for _ in range(6)]
            control.sendall(request(*words))
        self.leave_session(control)

    def do_out_of_bounds(self, stack):
        words = self.random.choice(OUT_OF_BOUNDS)
        control = self.session(stack)
        self.shared.add("requests")
        control.sendall(request(*words))
        self.must_refuse(control, "request %s" % (words,))

    def do_out_of_bounds_later(self, stack):
        words = self.random.choice(AFTER_ACCEPTS)
        control = self.opened(stack, ACCEPTS, 0)[0]
        self.shared.add("requests")
        control.sendall(request(*words))
        self.must_refuse(control, "after OPEN, request %s" % (words,))

    def do_slow_request(self, stack):
        control = self.session(stack)
        for byte in request(COUNT, 0, 0, 0, 0, 0)[:5]:
            control.sendall(bytes([byte]))
            if self.shared.stop.wait(1):
                return
        self.leave_session(control)

    def leave_session(self, control):
        """Not by waiting: it may be silent for a minute."""
        self.leave(control, 3)

    def do_open_then_garbage(self, stack):
        kind = self.random.choice([ECHO_TCP, ECHO_UDP, STREAM_TCP, STREAM_UDP, ACCEPTS])
        control, source, port, cookie = self.opened(stack, kind, 0 if kind == ACCEPTS else self.random.choice([64, 1000, 32768]))
        control.sendall(self.random.randbytes(self.random.randint(1, 3000)))
        if kind in (ECHO_UDP, STREAM_UDP):
            self.throw(self.datagram_socket(stack, source), port, self.random.choice([cookie[:8], b""]) + self.random.randbytes(100))
        else:
            self.dial(stack, source, port).sendall(self.random.choice([cookie, b""]) + self.random.randbytes(self.random.randint(1, 100000)))
        self.leave_session(control)

    def do_round_without_data(self, stack):
        control, source, port, cookie = self.opened(stack, *self.random.choice([(ECHO_TCP, 2**20), (STREAM_TCP, 64), (ACCEPTS, 0)]))
        if port and self.random.random() < 0.5:
            self.dial(stack, source, port).sendall(cookie)
        self.shared.add("requests")
        control.sendall(request(ROUND, 0, 0, 0, self.random.randint(1, 128), 0))
        self.leave(control)

    def do_count_flood(self, stack):
        """Of which it reads all answers, or none."""
        control = self.session(stack)
        number = self.random.choice([10, 1000, 100000])
        control.settimeout(2)
        with contextlib.suppress(socket.timeout):
            for _ in range((number + 99) // 100):
                control.sendall(request(COUNT, 0, 0, 0, 0, 0) * min(number, 100))
                self.shared.add("requests", min(number, 100))
                if number <= 1000:
                    receive(control, 96 * min(number, 100))
        control.settimeout(WAIT)
        self.leave_session(control)

    def do_wrong_cookies(self, stack):
        """No one comes who has the cookie, so the session must end."""
        control, source, port, cookie = self.opened(stack, ECHO_TCP, 64)
        for _ in range(self.random.randint(1, 30)):
            wrong = bytearray(cookie)
            wrong[self.random.randrange(16)] ^= 1 << self.random.randrange(8)
            data = self.dial(stack, self.random.choice([source, self.source()]), port)
            data.sendall(self.random.choice([b"", bytes(wrong), cookie[:15], self.random.randbytes(16)]))
        self.until_end(control)

    def do_wrong_datagrams(self, stack):
        control, source, port, cookie = self.opened(stack, ECHO_UDP, 64)
        sock = self.datagram_socket(stack, self.random.choice([source, "127.0.1.1"]))
        for _ in range(self.random.randint(1, 100)):
            self.throw(sock, port, self.random.choice([b"", cookie[:7], bytes(8), cookie, self.random.randbytes(self.random.randint(1, 2000))]))
        self.until_end(control)

    # -- those that must be served, between others that must not

    def message(self, size, number):
        stamp = struct.pack("<Q", number)
        return stamp + bytes(size - 16) + stamp if size >= 16 else stamp

    def do_echo(self, stack):
        size = self.random.choice([8, 16, 1000, 100000])
        control, source, port, cookie = self.opened(stack, ECHO_TCP, size, self.random.choice([0, 4096, 2**26]))
        for _ in range(self.random.randrange(4)):
            self.dial(stack, self.random.choice([source, "127.0.1.1"]), port).sendall(self.random.randbytes(16))
        data = self.dial(stack, source, port)
        data.sendall(cookie)
        self.rounds(control, size, lambda text: (data.sendall(text), receive(data, size))[1])

    def do_echo_datagrams(self, stack):
        size = self.random.choice([8, 16, 1000, 32768])
        control, source, port, cookie = self.opened(stack, ECHO_UDP, size)
        own, strange = self.datagram_socket(stack, source), self.datagram_socket(stack, self.random.choice([source, "127.0.1.1"]))

        def exchange(text):
            # None so large that the right one finds no room.
            self.throw(strange, port, self.random.choice([b"", cookie[:8], cookie[:8] + text[:1000], self.random.randbytes(100)]))
            self.throw(own, port, bytes(8) + text[:1000])
            self.throw(own, port, cookie[:8] + text)
            return own.recv(65536)[8:]

        self.throw(strange, port, self.random.randbytes(8))
        self.throw(own, port, cookie[:8])
        self.rounds(control, size, exchange)
        strange.setblocking(False)
        with contextlib.suppress(BlockingIOError, ConnectionError):
            strange.recv(65536)
            raise Wrong("a stranger got an answer")

    def rounds(self, control, size, exchange):
        if self.answer(control)[0]:
            raise Wrong("the cookie was not taken")
        number = 0
        for _ in range(self.random.randint(1, 3)):
            many = self.random.randint(1, 10)
            if self.ask(control, ROUND, 0, 0, 0, many, 0)[0]:
                raise Wrong("ROUND was refused")
            for _ in range(many):
                if exchange(self.message(size, number)) != self.message(size, number ^ HUGE):
                    raise Wrong("message %d of %d bytes came back changed" % (number, size))
                number += 1
        status, _, _, counts = self.ask(control, COUNT, 0, 0, 0, 0, 0)
        if status or counts[:2] != (number, number * size):
            raise Wrong("status %d, and %s counted of %d messages" % (status, counts[:2], number))
        self.shared.add("served")

    def do_accepts(self, stack):
        control, source, port, _ = self.opened(stack, ACCEPTS, 0)
        many = self.random.randint(1, 128)
        self.ask(control, ROUND, 0, 0, 0, many, 0)
        made = [self.dial(stack, source, port) for _ in range(many)]
        if self.ask(control, COUNT, 0, 0, 0, 0, 0)[3][2] != many:
            raise Wrong("another number of connections than %d" % many)
        self.ask(control, ROUND, 0, 0, 0, many, 1)
        resets = self.random.randint(0, many)
        for at, connection in enumerate(made):
            if at < resets:
                self.reset(connection)
            else:
                connection.close()
        counts = self.ask(control, COUNT, 0, 0, 0, 0, 0)[3]
        if counts[3:5] != (many - resets, resets):
            raise Wrong("%s ended, of %d reset and %d closed" % (counts[3:5], resets, many - resets))
        self.shared.add("served")
