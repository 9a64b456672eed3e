"""What the four users do: commands drawn at random, run one after the other, some of them interrupted or killed. A user is a process, which
appends a line of JSON for each command to a file."""
import json
import os
import random
import signal
import subprocess
import time

import judge
import machine

FORMATS = [name for name in judge.CHECKS if name not in ("page", "json")]
MODELS = ["fork_exit", "pipe_latency", "file_read", "unmap_touched", "random_latency"]
ANY = [["self.empty"], ["sys.null", "sys.stat"], ["sys.open_close", "fs.create"], ["fs.read_cached", "fs.append"], ["fs.write", "fs.fsync"],
       ["fs.copy_range"], ["fault.file_pages", "fault.major"], ["ipc.pipe_latency"], ["proc.fork_exec"], ["mem.latency", "-p", "size=16K"],
       ["fs.rename", "fs.mkdir"],
       ["--suite", "quick"], ["--suite", "standard"], ["--suite", "lmbench"], ["vm.map_file", "fs.mmap_read"],
       ["ipc.fifo_latency", "ipc.msg", "ipc.sem"], ["sys.null", "--parallel", "2"], ["sys.null", "--interfere", "spin"],
       ["self.empty", "--method", "kanata"], ["sys.*", "--defaults"]]
WRONG = [(["rum"], "no command 'rum'"), (["run", "sys.nul"], "sys.nul"), (["run", "--bugdet", "1s"], "unknown option '--bugdet'"),
	 (["run", "sys.null", "--budget", "soon"], "--budget 'soon'"), (["compare", "last", "last~1", "x.y", "extra"], "extra|x.y|run|store"),
	 (["show", "nobody"], "nobody|has no results yet"),
	 (["export", "--format", "xls"], "no format 'xls'"), (["runs", "prune", "--keep", "many"], "--keep 'many'"),
	 (["runs", "delete"], "delete"),
	 (["import", "none.json"], "none.json"), (["model", "--run", "none", "fork_exit"], "none|store"),
	 (["runs", "push", "mysql://x/y"], "mysql"), (["run", "--store", "/nonexistent/x.db", "self.empty", "--budget", "1s"], "/nonexistent|scratch"),
	 (["fleet", "run", "--via", "local"], "--nodes is needed"), (["doctor", "--cpus", "99"], "99"), (["cmd"], "command|needed|COMMAND"),
	 (["yamba", "run", "none.yamba"], "none.yamba"), (["history"], "needed|missing|BENCH|benchmark")]


class User:
	def __init__(self, number, seed, places, report):
		self.number, self.uid = number, machine.USERS[number]
		self.chance = random.Random("%s %d" % (seed, number))
		self.places = places
		self.home = "%s/u%d" % (machine.DISK, number + 1)
		self.kbench = machine.INSTALLED + "/usr/bin/kbench"
		self.report = report
		self.environment = environment(self.home)

	# ---- stores ----

	def store(self, writes=False):
		choice = self.chance.random()
		if choice < 0.55:
			return []
		if choice < 0.7:
			return ["--store", machine.DISK + "/shared/team.db"]
		if choice < 0.8 and not (writes and self.number):
			return ["--store", machine.DISK + "/readable/first.db"]
		if choice < 0.9 and self.places["server"]:
			return ["--store", self.places["server"]]
		return ["--store", self.home + "/second.db"]

	def output(self, name):
		return "%s/out/%s" % (self.home, name)

	# ---- commands: each a dictionary of words and what is to be judged ----

	def run(self):
		budget = self.chance.choice([1] if self.places["short"] else [1, 2, 3, 4])
		words = ["run", *self.chance.choice(ANY), "--budget", "%ds" % budget]
		if self.chance.random() < 0.7:
			words += ["--processes", str(self.chance.choice([1, 2, 5]))]
		command = {"kind": "run", "words": words, "budget": budget, "stops": True}
		choice = self.chance.random()
		if choice < 0.5:
			words.append("--json")
			command["form"] = "json"
		elif choice < 0.6:
			words += ["--format", "csv"]
		elif choice < 0.7 and "kanata" not in words:
			words += ["--baseline", "last"]
		words += self.store(True) if "--baseline" in words or self.chance.random() < 0.9 else ["--no-store"]
		return command

	def fresh(self):
		words = ["run", "self.empty", "--no-store", "--processes", "1", "--budget", "1s", "--json"]
		return {"kind": "fresh", "words": words, "budget": 1, "form": "json"}

	def plugin(self):
		words = ["run", "--plugin", self.home + "/adds.so", "--budget", "2s", "--json", *self.store(True)]
		return {"kind": "plugin", "words": words, "budget": 2, "form": "json", "stops": True}

	def yamba(self):
		words = ["yamba", "run", self.home + "/spin.yamba", "--budget", "2s", "--processes", "1"]
		if self.chance.random() < 0.3:    # compiles it anew
			words += ["-p", "turns=%d" % self.chance.randrange(1, 1000)]
		return {"kind": "yamba", "words": words + self.store(True), "budget": 12, "stops": True}

	def cmd(self):
		words = ["cmd", "true", "/bin/echo x", "--budget", "2s"]
		command = {"kind": "cmd", "words": words, "budget": 12, "stops": True}
		if self.chance.random() < 0.5:
			words += ["--export-json", self.output("cmd.json")]
			command["files"] = [("json", self.output("cmd.json"))]
		words += self.store(True)
		return command

	def ab(self):
		words = ["ab", "--a", "X=1", "--b", "X=2", "self.empty", "--budget", "4s", "--json", *self.store(True)]
		return {"kind": "ab", "words": words, "budget": 4, "form": "json", "stops": True}

	def compare(self):
		words = ["compare", "last", "last~1", *self.store()]
		if self.chance.random() < 0.4:
			return {"kind": "compare", "words": words + ["--junit", self.output("junit.xml")], "files": [("junit", self.output("junit.xml"))]}
		return {"kind": "compare", "words": words + ["--json"], "form": "json"}

	def read(self):
		words, form = self.chance.choice([(["show", "--json"], "json"), (["show"], None), (["show", "-v"], None), (["show", "--plot"], None),
			(["runs", "--json"], "json"), (["runs"], None), (["history", "sys.null"], None), (["history", "self.empty", "--json"], "json"),
			(["fleet", "report", "--json"], "json"), (["layers", "--stored"], None), (["runs", "--names"], None)])
		command = {"kind": words[0], "words": words + self.store()}
		if words[0] == "show" and self.chance.random() < 0.3:
			command["reader"] = "head"
		elif form:
			command["form"] = form
		return command

	def export(self):
		form = self.chance.choice(FORMATS)
		words = ["export", "--format", form, "last", *self.store()]
		path = self.output("export." + form)
		if self.chance.random() < 0.3:
			return {"kind": "export", "words": words, "stdout": path, "files": [(form, path)]}
		return {"kind": "export", "words": words + ["-o", path], "files": [(form, path)]}

	def page(self):
		path = self.output("page.html")
		return {"kind": "report", "words": ["report", "last", "-o", path, *self.store()], "files": [("page", path)], "stops": True}

	def bring(self):
		data = machine.INSTALLED + "/data/import/"
		files = self.chance.choice([["hyperfine/1.json", "hyperfine/2.json"], ["google-benchmark/1.json"], ["criterion"], ["perf-bench/1.txt"],
			["lmbench/vm.0"]])
		return {"kind": "import", "words": ["import", *[data + file for file in files], *self.store(True)], "stops": True}

	def model(self):
		words = ["model", self.chance.choice(MODELS), "--budget", "4s", "--json", *self.store(True)]
		return {"kind": "model", "words": words, "budget": 4, "form": "json", "stops": True}

	def keep(self):
		words = self.chance.choice([["runs", "prune", "--keep", "8"], ["runs", "gc"], ["runs", "gc", "--records-older-than", "0h"],
			["maintain", "last"], ["maintain"], ["runs", "label", "last", "kept"], ["runs", "remove", "last~3"],
			["runs", "prune", "--older-than", "1h", "--thin", "4w", "--dry-run"]])
		return {"kind": " ".join(words[:2]) if words[0] == "runs" else words[0], "words": words + self.store(True), "stops": True}

	def copy(self):
		second, third = self.home + "/second.db", self.home + "/third.db"
		other = self.chance.choice([second, machine.DISK + "/shared/team.db", self.places["server"] or third])
		words = self.chance.choice([["runs", "push", other, "last"], ["runs", "push", other], ["runs", "pull", other, "last"],
			["runs", "merge", second], ["runs", "copy", other, third, "last"]])
		if self.places["server"] and self.chance.random() < 0.2:
			words = ["runs", "push", "--waiting", self.places["server"]]
		words += ["--timeout", "10s"] if words[1] != "merge" else []
		return {"kind": " ".join(words[:2]), "words": words, "budget": 20, "stops": True}

	def fleet(self):
		words = ["fleet", "run", "--via", "local", "--nodes", str(self.chance.choice([1, 2])), "--json", *self.store(True), "sys.null"]
		words += ["--", "--budget", "1s", "--processes", "1"]
		return {"kind": "fleet", "words": words, "budget": 10, "form": "json", "stops": True}

	def remote(self):
		words = ["run", "ipc.tcp_latency", "-p", "host=127.0.0.1:7353", "--budget", "2s", "--processes", "1", "--json", "--no-store"]
		return {"kind": "remote", "words": words, "budget": 2, "form": "json", "stops": True}

	def doctor(self):
		words = self.chance.choice([["doctor", "--budget", "1s", "--json"], ["doctor", "kernel", "--json"], ["doctor", "--facts", "--json"],
			["list", "--json"]])
		return {"kind": words[0], "words": words, "budget": 2, "form": "json"}

	def wrong(self):
		words, pattern = self.chance.choice(WRONG)
		return {"kind": "wrong", "words": words, "wrong": True, "refusal": pattern}

	TURNS = [(run, 20), (fresh, 8), (plugin, 3), (yamba, 4), (cmd, 4), (ab, 3), (compare, 6), (read, 12), (export, 10), (page, 5), (bring, 4),
		 (model, 2), (keep, 8), (copy, 8), (fleet, 3), (remote, 4), (doctor, 3), (wrong, 5)]

	def draw(self):
		out = {User.remote, User.ab, User.cmd, User.yamba, User.fleet, User.model} if self.places["short"] else set()
		turns = [turn for turn, _ in self.TURNS if turn not in out]
		weights = [weight for turn, weight in self.TURNS if turn in turns]
		return self.chance.choices(turns, weights)[0](self)

	# ---- at work ----

	def perform(self, command):
		kills = 0
		if command.get("stops") and self.chance.random() < 0.2:
			kills = self.chance.choice([signal.SIGINT, signal.SIGKILL])
		done = execute(self.uid, self.environment, self.home, [self.kbench, *command["words"]], command, kills, self.chance)
		outcome, problem = judge.judge(command, done)
		entry = {"kind": command["kind"], "words": command["words"], "user": self.number + 1, "outcome": outcome, "problem": problem,
			 "code": done["code"], "signal": done["signal"], "err": done["err"][-2000:], "peak": done["peak"], "seconds": done["seconds"],
			 "at": time.time()}
		if problem:
			entry["out"] = done["out"][-2000:]
		self.report.write(json.dumps(entry) + "\n")
		self.report.flush()
		return entry

	def make_room(self):
		"""As a user does whose disk is full of what he himself exported."""
		if machine.free_disk() < 20 << 20 and not os.path.exists(machine.DISK + "/filler"):
			for name in ("third.db", "second.db"):
				for suffix in ("", "-wal", "-shm"):
					if os.path.exists("%s/%s%s" % (self.home, name, suffix)):
						os.unlink("%s/%s%s" % (self.home, name, suffix))

	def work(self, until):
		while time.time() < until:
			self.make_room()
			self.perform(self.draw())


def environment(home):
	return {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": home, "XDG_DATA_HOME": home + "/data",
		"XDG_CACHE_HOME": home + "/cache", "XDG_CONFIG_HOME": home + "/config", "XDG_STATE_HOME": home + "/state", "TMPDIR": home + "/tmp",
		"LC_ALL": "C", "KBENCH_TOKEN_FILE": home + "/token"}


def demoted(uid, words):
	return ["setpriv", "--reuid=%d" % uid, "--regid=%d" % uid, "--groups=%d" % machine.SHARED, *words]


def family(pid):
	"""That process and what it started, with what they wait for."""
	lines = []
	for entry in os.listdir("/proc"):
		try:
			with open("/proc/%s/stat" % entry) as file:
				stat = file.read()
			session = int(stat.rsplit(")", 1)[1].split()[3])
			if session != pid:
				continue
			with open("/proc/%s/wchan" % entry) as file:
				waits = file.read()
			with open("/proc/%s/cmdline" % entry) as file:
				lines.append("%s %s in %s: %s" % (entry, stat.rsplit(")", 1)[1].split()[0], waits, file.read().replace("\0", " ")[:200]))
		except (OSError, ValueError):
			pass
	return " | ".join(lines)


def read_back(file):
	file.seek(0)
	return file.read().decode("utf-8", "replace")


def execute(uid, env, home, words, command, kills, chance):
	"""Runs it; the streams lie beside the disk, so that what a full disk does to kbench is not done to what judges it."""
	budget = command.get("budget", 0)
	limit = budget + 30
	done = {"signal": 0, "hung": 0, "where": "", "peak": 0}
	out, err = open("out.%d" % uid, "w+b"), open("err.%d" % uid, "w+b")
	shown = open(command["stdout"], "wb") if command.get("stdout") else out
	if command.get("stdout"):
		os.chown(command["stdout"], uid, uid)
	if command.get("reader") == "head":
		words = ["sh", "-c", '"$@" | head -n 1', "sh", *words]
	begun = time.time()
	kill_at = begun + chance.uniform(0.05, budget + 1) if kills else None
	pid = subprocess.Popen(demoted(uid, words), env=env, cwd=home, stdin=subprocess.DEVNULL, stdout=shown, stderr=err, start_new_session=True)
	whole_group = chance.random() < 0.5
	while pid.poll() is None:
		done["peak"] = machine.memory_of(pid.pid, "VmHWM") or done["peak"]
		now = time.time()
		if kill_at and now > kill_at and not done["signal"]:
			# Ctrl-C is for the group of the terminal, a kill for one process.
			(os.killpg if kills == signal.SIGINT and whole_group else os.kill)(pid.pid, kills)
			done["signal"] = int(kills)
		if now - begun > limit:
			done["where"], done["hung"] = family(pid.pid), int(now - begun - budget)
			os.killpg(pid.pid, signal.SIGKILL)
			pid.wait()
			break
		time.sleep(0.03)
	done.update(code=pid.returncode, seconds=round(time.time() - begun, 1), out=read_back(out), err=read_back(err))
	for file in {out, err, shown}:
		file.close()
	return done
