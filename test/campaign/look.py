"""What parts of the campaign that feed kbench hostile input share: how it is run, what its output may hold, how input is spoiled."""
import json
import os
import random
import re
import signal
import subprocess
import sys
import zlib

kbench = os.environ.get("KBENCH", "kbench")
sources = os.environ.get("KB_SRC", ".")

# Each alone has done harm somewhere.
hostile = [
    b"\x1b[31m", b"\x1b]0;title\x07", b"\x01", b"\x08", b"\n", b"\r", b"\t", b"\x7f",
    b"\xc2\x9b31m", b"\x9b31m", b"\xc2\x85", b"\xd8\x9c", b"\xe2\x80\x8e", b"\xe2\x80\x8f", b"\xe2\x80\xae", b"\xe2\x80\xaa",
    b"\xe2\x81\xa6", b"\xe2\x81\xa9", b"\xe2\x80\xa8", b"\xe2\x80\xa9",
    b"\xff", b"\xc1\x81", b"\xc0\x9b", b"\xe0\x80\x9b", b"\xf0\x80\x80\x9b", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe6\x97",
]

# What moves a cursor, ends a line elsewhere or turns text round (src/base/text.h).
bad = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def no_constant(word):
    raise ValueError("JSON has no %s" % word)


def read_json(text):
    return json.loads(text, parse_constant=no_constant)


class Ended:
    """How a command ended: code (of a signal negative, as subprocess has it; None: not in time), out and err as bytes."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


def run(words, seconds=10, stdin=b"", env=None):
    """In a session of its own, so that nothing of it stays when its time is up."""
    child = subprocess.Popen([kbench, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env={**os.environ, **(env or {})}, start_new_session=True)
    try:
        out, err = child.communicate(stdin, timeout=seconds)
        return Ended(child.returncode, out, err)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        return Ended(None, out, err)


def plain(data, what):
    """A complaint about bytes that go to people, or None."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        return "%s is no UTF-8: %s" % (what, error)
    found = bad.search(text.replace("\t", " "))
    return found and "%s has %r: %r" % (what, found.group(), text[max(found.start() - 60, 0):found.end() + 20])


# ---- records ---------------------------------------------------------------------------------------------------

def quoted(text):
    """As a record's writer quotes: each byte that is not a plain one as an escape."""
    return b'"' + b"".join(b"\\x%02x" % c if c < 32 or c > 126 or c in b'"\\' else bytes([c]) for c in text) + b'"'


def record(bench=b"host.ile", param=b"p=1", clock=b"tsc", method=b"single", env=b"machine=m kernel=k", fields=b"", end=None):
    """A record of sixty single operations, whole, with its CRC."""
    text = b"kbench-record 2\nbench %s\nper call\nbound kernel\nmethod %s seed=7 process=1\nparam %s\n" % (bench, method, param)
    text += b"clock %s hz=1000000000 quantum=1 cost=1 ordered=1\nenv %s\n" % (clock, env)
    text += b"".join(b"o 1 %d t=%d k=%d cpu=0%s\n" % (1000 + i * 7 % 13, i * 5000, i, fields) for i in range(60))
    return text + (end or b"end o=60 b=0 q=0 e=0 crc=%08x\n" % zlib.crc32(text))


# ---- spoiling ------------------------------------------------------------------------------------------------

numbers = [b"0", b"-1", b"1e999", b"nan", b"inf", b"-0", b"18446744073709551616", b"9" * 400, b"4294967296", b"0x7fffffffffffffff", b"1e-400", b".",
           b"9007199254740993", b"-9223372036854775808"]
pieces = [b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\x1b[2J", b"\r", b"\n", b"\xe2\x80\xae", b"\xc0\x80", b"%s%n", b"A" * 5000, b"\"", b"\\", b"{", b"]", b"=", b"\t",
          b"$(id)", b",", b"\n\n", b" "]


def spoil(data, rng):
    """One to three things that go wrong with a file."""
    for _ in range(rng.randint(1, 3)):
        way = rng.randrange(11)
        at = rng.randrange(len(data) + 1)
        lines = data.split(b"\n")
        line = rng.randrange(len(lines))
        if way == 0:
            data = data[:at]
        elif way == 1 and data:
            bytes_ = bytearray(data)
            for _ in range(rng.choice([1, 1, 2, 8, 64])):
                bytes_[rng.randrange(len(bytes_))] ^= 1 << rng.randrange(8)
            data = bytes(bytes_)
        elif way == 2:
            data = b"\n".join(lines[:line] + [lines[line]] * rng.choice([2, 2, 3, 1000]) + lines[line + 1:])[:1 << 20]
        elif way == 3:
            data = b"\n".join(lines[:line] + lines[line + rng.choice([1, 1, 5]):])
        elif way == 4:
            found = list(re.finditer(rb"[0-9]+(\.[0-9]+)?", data))
            if found:
                one = rng.choice(found)
                data = data[:one.start()] + rng.choice(numbers) + data[one.end():]
        elif way == 5:
            data = data[:at] + rng.choice(pieces) + data[at:]
        elif way == 6:
            data = data.replace(b"\n", b"\r\n")
        elif way == 7:
            data = b"\xef\xbb\xbf" + data
        elif way == 8:
            other = rng.randrange(len(lines))
            lines[line], lines[other] = lines[other], lines[line]
            data = b"\n".join(lines)
        elif way == 9:
            data = data[:at] + data[rng.randrange(len(data) + 1):]
        else:
            lines[line] = lines[line] * rng.choice([2, 50])
            data = b"\n".join(lines)[:1 << 20]
    return data


def seed_of(name):
    """Named by KB_SEED, else a new one; printed, so that a failure can be seen again."""
    seed = int(os.environ.get("KB_SEED", random.SystemRandom().randrange(1 << 31)))
    print("%s: KB_SEED=%d" % (name, seed))
    return random.Random(seed), seed


def read_files(*names):
    """Contents of files and of all files below directories, of those that are there and not large."""
    found = []
    for name in names:
        path = os.path.join(sources, name)
        inside = [path] if os.path.isfile(path) else sorted(os.path.join(d, f) for d, _, fs in os.walk(path) for f in fs)
        for one in inside:
            if os.path.getsize(one) < 300000:
                with open(one, "rb") as file:
                    found.append(file.read())
    if not found:
        sys.exit("nothing of %s in %s" % (", ".join(names), sources))
    return found
