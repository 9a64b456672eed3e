#!/usr/bin/env python3
"""Makes the store small and nobody's: shrink.py STORE, for make.sh.

Of each record some blocks remain, with counts and CRC that are right again (`maintain` follows). What names the machine
in the facts of a run is replaced, and with it the environment ID, which is a hash of the lasting facts (src/env/env.c).
"""
import json
import re
import sqlite3
import sys
import zlib

BLOCKS = {"sides-a": 7, "sides-b": 7, "model": 7, "uncontended": 40}
USUAL = 18
KEEP = ("first", "sys.null", 1)     # label, row and process: this record stays whole
FACTS = {"kernel": "6.1.0-test", "boot_options": "quiet"}
READINGS = {"cmdline": "quiet"}


def block_of(line):
    words = line.split()
    if words[0] == "k":
        return int(words[1])
    if words[0] in ("o", "b", "q", "c", "p"):
        return next((int(word[2:]) for word in words if word.startswith("k=")), None)
    return None


def thin(body, blocks):
    """Every so many-th block, so that the record spans the same time; numbered anew."""
    step = 1 + max((block_of(line) or 0 for line in body), default=0) // blocks
    for line in body:
        number = block_of(line)
        if number is None:
            yield line
        elif number % step == 0:
            yield re.sub(r"^k \d+| k=\d+", lambda match: match[0].rstrip("0123456789") + str(number // step), line, count=1)


def end_of(body):
    count = {word: sum(line.split()[0] in (word, word + "b") for line in body) for word in "obqe"}
    crc = zlib.crc32("".join(line + "\n" for line in body).encode("latin-1"))
    return "end o=%d b=%d q=%d e=%d crc=%08x" % (count["o"], count["b"], count["q"], count["e"], crc)


def shrink(text, blocks):
    """All records of a process: one, or one a copy. One that was cut off or garbled stays as it is."""
    out, body = [], []
    for line in text.split("\n"):
        if not line.startswith("end "):
            body += [line] if line else []
            continue
        if line != end_of(body):
            return text
        body = list(thin(body, blocks))
        out, body = out + body + [end_of(body)], []
    return "".join(line + "\n" for line in out) if not body else text


def environment_id(facts):
    value = 14695981039346656037
    for key in sorted(facts):
        for byte in key.encode() + b"\0" + facts[key].encode() + b"\0":
            value = (value ^ byte) * 1099511628211 % 2 ** 64
    return "%016x" % value


def main():
    store = sqlite3.connect(sys.argv[1])
    for number, label, row, process, record in store.execute(
            "SELECT l.number, r.label, l.row, l.launch, l.record FROM launch l JOIN run r ON r.number = l.run").fetchall():
        text = zlib.decompress(record).decode("latin-1")     # a benchmark may have written bytes that are no UTF-8
        method = next((line.split()[1] for line in text.split("\n") if line.startswith("method ")), "")
        if method in ("slope", "single", "paired") and (label, row, process) != KEEP:
            text = shrink(text, BLOCKS.get(label, USUAL))
        store.execute("UPDATE launch SET record = ?, record_length = ? WHERE number = ?",
                      (zlib.compress(text.encode("latin-1"), 9), len(text), number))
    for number, text in store.execute("SELECT number, settings FROM run").fetchall():
        settings = json.loads(text)
        if settings.get("plugin"):
            settings["plugin"] = "/plugins/" + settings["plugin"].rsplit("/", 1)[1]
            store.execute("UPDATE run SET settings = ? WHERE number = ?",
                          (json.dumps(settings, ensure_ascii=False, separators=(",", ":")), number))
    for number, env in store.execute("SELECT number, env FROM run").fetchall():
        env = json.loads(env)
        for group, changes in (("facts", FACTS), ("readings", READINGS)):
            for key, value in changes.items():
                if "boot_options" in env["facts"] and key in env[group]:
                    env[group][key] = value
        if "boot_options" in env["facts"]:
            env["id"] = environment_id(env["facts"])
        store.execute("UPDATE run SET env = ?, env_class = ? WHERE number = ?",
                      (json.dumps(env, ensure_ascii=False, separators=(",", ":")), env["id"], number))
    store.commit()


main()
