# To be sourced behind check.sh: a PostgreSQL server of one's own, in a directory of its own and reached by a socket there. It runs as an
# unprivileged user, who alone may ask it (peer authentication would not let root in: so the socket's directory is the guard), and ends
# with whoever started it, however that ends. It does not wait for the disk: what a killed process wrote the system still has. KB_TEST_SERVER is its address for test/unit/store.

postgres_bin=$(for postgres_bin in /usr/lib/postgresql/*/bin; do :; done; echo "$postgres_bin")

# as_server COMMAND...: as the server's user, in place of this shell.
as_server() {
	user=
	[ "$(id -u)" -ne 0 ] || user="--reuid=65534 --regid=65534 --clear-groups"
	# shellcheck disable=SC2086 # words
	exec setpriv $user --pdeathsig KILL "$@"
}

# keep_postgres DIR: its files lie there and stay.
keep_postgres() {
	postgres_home=$1 postgres_kept=1
	[ "$(id -u)" -ne 0 ] || chown 65534:65534 "$1"
}

# start_postgres: makes it, or starts it again after kill_postgres.
start_postgres() {
	postgres_home=${postgres_home:-$(mktemp -d /tmp/kbench-postgres.XXXXXX)}
	if [ ! -d "$postgres_home/data" ]; then
		[ "$(id -u)" -ne 0 ] || chown 65534:65534 "$postgres_home"
		(as_server "$postgres_bin/initdb" -D "$postgres_home/data" -A trust -U owner --no-sync -E UTF8 --locale=C) >initdb.log 2>&1 || {
			cat initdb.log
			return 1
		}
		# The one who has a password needs it.
		sed -i '1i local all guarded scram-sha-256' "$postgres_home/data/pg_hba.conf"
	fi
	KB_TEST_SERVER=$(address postgres)
	export KB_TEST_SERVER
	# Children of one that was killed may still have its memory: it refuses to begin until they have seen it.
	for _ in 1 2 3 4 5 6 7 8; do
		(as_server "$postgres_bin/postgres" -D "$postgres_home/data" -c listen_addresses= -c unix_socket_directories="$postgres_home" \
			-c max_connections=50 -c fsync="${postgres_fsync:-off}") >>"$postgres_home/log" 2>&1 &
		postgres_pid=$!
		await 20 answers_or_ended && ! ended_postgres && return
		sleep 0.3
	done
	tail -n 20 "$postgres_home/log"
	return 1
}

answers_or_ended() {
	"$postgres_bin/pg_isready" -q -h "$postgres_home" || ended_postgres
}

# kill_postgres: at once, in the middle of what it does.
kill_postgres() {
	kill -9 "$postgres_pid"
	wait "$postgres_pid" 2>/dev/null || :
}

# Without its last words: the directory goes as well.
stop_postgres() {
	if [ -n "${postgres_pid-}" ]; then
		kill -QUIT "$postgres_pid" 2>/dev/null
		await 10 ended_postgres || kill -9 "$postgres_pid" 2>/dev/null
	fi
	[ -z "${postgres_home-}" ] || [ -n "${postgres_kept-}" ] || rm -rf "$postgres_home"
}

ended_postgres() {
	! kill -0 "$postgres_pid" 2>/dev/null
}

# tell DATABASE SQL: as its owner, one answer a line.
tell() {
	psql -XAtq -v ON_ERROR_STOP=1 -h "$postgres_home" -U owner -d "$1" -c "$2"
}

# address DATABASE [USER]
address() {
	printf 'postgresql://%s@/%s?host=%s' "${2:-owner}" "$1" "$postgres_home"
}
