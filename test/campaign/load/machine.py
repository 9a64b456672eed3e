"""The machine of the load: a disk of 200 MB, spinners, a process that fills and empties the disk, a PostgreSQL server, and what is left at the
end. All of it lives in namespaces of its own and ends with them."""
import glob
import os
import random
import signal
import subprocess
import time

ROOM = "/mnt"              # a tmpfs of the step; everybody may enter
DISK = ROOM + "/disk"
INSTALLED = ROOM + "/installed"
USERS = (61001, 61002, 61003, 61004)
SHARED = 61000             # the group of all four
DISK_BYTES = 200 << 20


def sh(*words, **options):
	return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options).stdout


def make_disk(kept):
	"""Mounts the disk; what it is."""
	sh("mount", "-t", "tmpfs", "-o", "size=2g,mode=755", "none", ROOM)
	# Of the step alone: a server that ends with the namespace leaves its segments.
	sh("mount", "-t", "tmpfs", "-o", "size=256m,mode=1777", "none", "/dev/shm")
	os.mkdir(DISK)
	os.makedirs(kept, exist_ok=True)
	image = os.path.join(kept, "disk.img")
	try:
		if not os.path.exists(image):
			with open(image + ".new", "wb") as file:
				file.truncate(DISK_BYTES)
			# No blocks for root alone: the filler, who is root, and the users meet the same end.
			sh("mkfs.ext4", "-q", "-F", "-m", "0", image + ".new")
			os.rename(image + ".new", image)
		sh("mount", "-o", "loop", image, DISK)
		return "ext4"
	except (OSError, subprocess.CalledProcessError):
		sh("mount", "-t", "tmpfs", "-o", "size=%d,mode=755" % DISK_BYTES, "none", DISK)
		return "tmpfs"


def free_disk():
	facts = os.statvfs(DISK)
	return facts.f_bavail * facts.f_frsize


def spin():
	"""A busy loop on each CPU."""
	return [subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "while :; do :; done"]) for cpu in sorted(os.sched_getaffinity(0))]


def fill(seed, full, empty):
	"""Fills the disk, to the last byte or but for a little, and empties it again, until it is killed; for times between these seconds."""
	chance = random.Random(seed)
	path = DISK + "/filler"
	while True:
		time.sleep(chance.uniform(*empty))
		left = chance.choice([0, 0, 0, 4096, 64 << 10, 1 << 20])
		with open(path, "wb") as file:
			size = 0
			while free_disk() > left:
				piece = max(min(free_disk() - left, 8 << 20), 4096)
				try:
					os.posix_fallocate(file.fileno(), size, piece)
				except OSError:
					break
				size += piece
		time.sleep(chance.uniform(*full))
		os.unlink(path)


def start_filler(seed, short):
	pid = os.fork()
	if pid == 0:
		signal.signal(signal.SIGTERM, signal.SIG_DFL)
		try:
			fill(seed, (0.1, 0.4) if short else (0.2, 2), (0.6, 1.2) if short else (3, 12))
		finally:
			os._exit(1)
	return pid


def stop_filler(pid):
	os.kill(pid, signal.SIGKILL)
	os.waitpid(pid, 0)
	if os.path.exists(DISK + "/filler"):
		os.unlink(DISK + "/filler")


def start_server():
	"""A PostgreSQL server for all four users, by a socket; its address, or None."""
	places = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
	if not places:
		return None
	home = ROOM + "/server"
	os.mkdir(home)
	os.chown(home, 65534, 65534)
	user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
	sh(*user, places[-1] + "/initdb", "-D", home + "/data", "-A", "trust", "-U", "owner", "--no-sync", "-E", "UTF8", "--locale=C", cwd=home)
	with open(ROOM + "/server.log", "w") as log:
		subprocess.Popen(user + [places[-1] + "/postgres", "-D", home + "/data", "-c", "listen_addresses=", "-c", "unix_socket_directories=" + home,
					 "-c", "fsync=off"], stdout=log, stderr=log, cwd=home)
	for _ in range(200):
		if subprocess.run([places[-1] + "/pg_isready", "-q", "-h", home]).returncode == 0:
			return "postgresql://owner@/postgres?host=" + home
		time.sleep(0.1)
	return None


def processes_of(users):
	"""pid -> command line of all that are theirs and are no zombies."""
	found = {}
	for entry in os.listdir("/proc"):
		if not entry.isdigit():
			continue
		try:
			if os.stat("/proc/" + entry).st_uid not in users:
				continue
			with open("/proc/%s/status" % entry) as file:
				if "\nState:\tZ" in file.read():
					continue
			with open("/proc/%s/cmdline" % entry) as file:
				found[int(entry)] = file.read().replace("\0", " ").strip()
		except OSError:
			pass
	return found


def memory_of(pid, name="VmRSS"):
	"""KB, or None."""
	try:
		with open("/proc/%d/status" % pid) as file:
			for line in file:
				if line.startswith(name + ":"):
					return int(line.split()[1])
	except OSError:
		pass
	return None


def descriptors_of(pid):
	try:
		return len(os.listdir("/proc/%d/fd" % pid))
	except OSError:
		return None


def objects():
	"""What outlives processes, apart from files: lines that can be compared."""
	found = {"ipc " + line.strip() for line in sh("ipcs").splitlines() if line.strip().startswith("0x")}
	found |= {"mount " + line.strip() for line in open("/proc/self/mounts")}
	found |= {"netns " + name for name in (os.listdir("/run/netns") if os.path.isdir("/run/netns") else [])}
	return found


def files_outside():
	"""Files of the users that are not on their disk."""
	theirs = ["-uid", "+%d" % (USERS[0] - 1), "-uid", "-%d" % (USERS[-1] + 1)]
	words = ["find", "/tmp", "/var/tmp", "/dev", "/run", "/var/lib", "/var/spool", ROOM, "-path", DISK, "-prune", "-o", *theirs, "-print"]
	found = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
	return [line for line in found.splitlines() if not line.startswith("/dev/pts")]
