"""Walks a TextMate grammar over files as an editor does, and compares what it marks with what the text says.

Knows of the format what our grammar uses: match, begin, end, captures, include, patterns.
"""
import json
import re
import sys


def patterns_of(grammar, rule):
    for pattern in rule.get("patterns", []):
        if "include" not in pattern:
            yield pattern
            continue
        target = grammar["repository"][pattern["include"][1:]]
        if "match" in target or "begin" in target:
            yield target
        else:
            yield from patterns_of(grammar, target)


def compiled(cache, text):
    if text not in cache:
        cache[text] = re.compile(text, re.M)
    return cache[text]


def mark(found, match, captures):
    for number, capture in (captures or {}).items():
        if match.group(int(number)) is not None:
            found.append((capture["name"], match.group(int(number)), match.start(int(number))))


def walk(grammar, text):
    """The marked texts with their places, and the rules that are open at the end."""
    cache, found, stack, ends, at = {}, [], [grammar], [None], 0
    while at <= len(text):
        rule, best, chosen = stack[-1], None, None
        if "end" in rule:
            best, chosen = compiled(cache, ends[-1]).search(text, at), None
        for pattern in patterns_of(grammar, rule):
            match = compiled(cache, pattern.get("match", pattern.get("begin"))).search(text, at)
            if match and (best is None or match.start() < best.start()):
                best, chosen = match, pattern
        if best is None:
            break
        if chosen is None:
            mark(found, best, rule.get("endCaptures"))
            stack.pop()
            ends.pop()
        elif "begin" in chosen:
            mark(found, best, chosen.get("beginCaptures"))
            stack.append(chosen)
            ends.append(re.sub(r"\\(\d)", lambda m: re.escape(best.group(int(m.group(1)))), chosen["end"]))
        else:
            mark(found, best, chosen.get("captures"))
            if "name" in chosen:
                found.append((chosen["name"], best.group(0), best.start()))
        at = best.end() if best.end() > best.start() or chosen is None else best.end() + 1
    return found, stack[1:]


def without_text(text):
    """Comments and strings become blanks, so that plain searches see code only."""
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m.group(0)), text, flags=re.S)


def check(path, grammar):
    text = open(path, encoding="utf-8-sig", errors="replace", newline="").read().replace("\r", "")
    found, still_open = walk(grammar, text)
    plain = without_text(text)
    wrong = [f"{path}: open at the end: {rule.get('begin')}" for rule in still_open]
    classes = re.findall(r"\byamba\s+(?:abstract\s+)?([A-Za-z_]\w*)(?:\s+extends\s+\w+)?\s*\{", plain)
    marked = [word for name, word, _ in found if name == "entity.name.type.class.yamba"]
    wrong += [f"{path}: class {name} is not marked" for name in classes if name not in marked]
    members = [m.start() for m in re.finditer(r"\bbitstring\b", plain)]
    seen = [place for name, _, place in found if name == "storage.type.bitstring.yamba"]
    wrong += [f"{path}: bitstring at {place} is not marked" for place in members if place not in seen]
    return wrong, len(classes)


def reserved_words(parser):
    """The words that the compiler reserves, from its own list."""
    text = open(parser, encoding="utf-8").read()
    found = re.search(r'\bkb_is_keyword\(.*?"([a-z,]+)"', text, re.S)
    return found.group(1).split(",") if found else []


def main():
    grammar = json.load(open(sys.argv[1], encoding="utf-8"))
    words, whole = reserved_words(sys.argv[2]), json.dumps(grammar)
    wrong = [f"{word} is reserved and not in the grammar" for word in words if not re.search(rf"\b{word}\b", whole.replace("\\b", " "))]
    if not words:
        wrong.append(f"no table of reserved words in {sys.argv[2]}")
    classes = 0
    for path in sys.argv[3:]:
        more, count = check(path, grammar)
        wrong += more
        classes += count
    print("\n".join(wrong) if wrong else f"{len(sys.argv) - 3} files, {classes} classes, {len(words)} reserved words")
    return 1 if wrong or not classes else 0


sys.exit(main())
