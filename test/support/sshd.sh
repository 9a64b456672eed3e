# shellcheck shell=sh
# An sshd of a test's own on a loopback port, with keys of its own, that lets its own user in: `. "$KB_SRC/test/support/sshd.sh"` behind
# check.sh, start_sshd DIR, and at_end=stop_sshd. `ssh -F DIR/config ALIAS` reaches it by the aliases a, b and c; `gone` is a host where
# nobody listens. Neither files nor keys of the user are read.

sshd_pid=

needs_sshd() {
	PATH=$PATH:/usr/sbin:/sbin
	needs sshd ssh ssh-keygen
}

# An sshd of root needs /run/sshd, which is there only where the system's has been started: else one in a view of /run of its own.
run_sshd() {
	if [ "$(id -u)" -ne 0 ] || [ -d /run/sshd ]; then
		exec setsid "$(command -v sshd)" "$@"
	fi
	exec setsid unshare -m sh -c 'mount -t tmpfs tmpfs /run && mkdir -m 0755 /run/sshd && exec "$@"' sh "$(command -v sshd)" "$@"
}

# ssh_alias NAME PORT
ssh_alias() {
	cat <<END
Host $1
	HostName 127.0.0.1
	HostKeyAlias kbench-test
	Port $2
END
}

start_sshd() {
	sshd_dir=$1
	mkdir -p "$sshd_dir"
	chmod 0700 "$sshd_dir"
	for key in host user; do
		ssh-keygen -q -t ed25519 -N '' -f "$sshd_dir/$key" </dev/null
	done
	cp "$sshd_dir/user.pub" "$sshd_dir/authorized"
	echo "kbench-test $(cut -d ' ' -f 1,2 "$sshd_dir/host.pub")" >"$sshd_dir/known"
	for sshd_try in 0 1 2; do
		sshd_port=$((20000 + ($$ * 53 + sshd_try * 997) % 20000))
		cat >"$sshd_dir/sshd_config" <<END
ListenAddress 127.0.0.1
Port $sshd_port
HostKey $sshd_dir/host
AuthorizedKeysFile $sshd_dir/authorized
PidFile none
UsePAM no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
PrintMotd no
PrintLastLog no
MaxStartups 100
SetEnv PATH=${KBENCH%/*}:/usr/bin:/bin
END
		{
			ssh_alias a "$sshd_port"
			ssh_alias b "$sshd_port"
			ssh_alias c "$sshd_port"
			ssh_alias gone 1
			cat <<END
Host *
	User $(id -un)
	IdentityFile $sshd_dir/user
	IdentitiesOnly yes
	UserKnownHostsFile $sshd_dir/known
	GlobalKnownHostsFile /dev/null
	StrictHostKeyChecking yes
END
		} >"$sshd_dir/config"
		run_sshd -D -e -f "$sshd_dir/sshd_config" >"$sshd_dir/log" 2>&1 </dev/null &
		sshd_pid=$!
		end_with_us $sshd_pid
		sshd_tries=10
		while [ $sshd_tries -gt 0 ]; do
			timeout 10 ssh -F "$sshd_dir/config" -o BatchMode=yes a true >/dev/null 2>&1 && return 0
			kill -0 $sshd_pid 2>/dev/null || break
			sleep 0.2
			sshd_tries=$((sshd_tries - 1))
		done
		stop_sshd
	done
	cat "$sshd_dir/log"
	fail "no sshd came up in $sshd_dir"
}

# Its sessions are its children.
stop_sshd() {
	[ -n "$sshd_pid" ] || return 0
	# shellcheck disable=SC2046 # numbers
	kill $(cat "/proc/$sshd_pid/task/$sshd_pid/children" 2>/dev/null) "$sshd_pid" 2>/dev/null
	wait "$sshd_pid" 2>/dev/null
	sshd_pid=
}
