# shellcheck shell=sh
# Two machines for tests of the network: namespaces with a cable between them. They are gone with the processes that are in them, and these
# with the first, by kill -9 too. Needs check.sh. This shell is the client's machine, 10.77.0.1 and fd77::1; `there COMMAND...` runs on the other, 10.77.0.2 and fd77::2,
# 10.77.0.3. `relayed MS [EACH]` makes a second cable, 10.78.0.1 and 10.78.0.2, with a relay in it that takes so long each way and loses each
# so manyth frame with data.

# machines SCRIPT: runs it anew in a network of its own, or skips the test.
machines() {
	[ -z "${KB_MACHINES:-}" ] || return 0
	needs ip unshare nsenter python3
	for flags in "-np" "-rnp"; do
		# shellcheck disable=SC2086 # words
		unshare $flags --fork --mount-proc ip link add c0 type veth peer name s0 2>/dev/null || continue
		KB_MACHINES=$flags
		export KB_MACHINES
		# shellcheck disable=SC2086
		exec unshare $flags --fork --mount-proc --kill-child=KILL sh "$1"
	done
	skip "network namespaces with a veth pair are not permitted here"
}

# holder: makes a network; its process in $!. It ends with this shell.
hold() {
	: >held
	unshare -n sh -c 'echo held; exec sleep 600' >held &
	await 10 grep -q held held || fail "no second network"
	rm held
}

there() {
	nsenter -t "$other" -n -- "$@"
}

# cable NAME PID NAME PID: from here (0) or there.
cable() {
	ip link add "$1" type veth peer name "$3"
	[ "$2" = 0 ] || ip link set "$1" netns "$2"
	[ "$4" = 0 ] || ip link set "$3" netns "$4"
}

connect_machines() {
	hold
	other=$!
	cable c0 0 s0 "$other"
	ip link set lo up
	ip addr add 10.77.0.1/24 dev c0
	ip -6 addr add fd77::1/64 dev c0 nodad
	ip link set c0 up
	there ip link set lo up
	there ip addr add 10.77.0.2/24 dev s0
	there ip addr add 10.77.0.3/24 dev s0
	there ip -6 addr add fd77::2/64 dev s0 nodad
	there ip link set s0 up
}

relayed() {
	[ -n "${middle:-}" ] || {
		hold
		middle=$!
		cable c1 0 m0 "$middle"
		cable s1 "$other" m1 "$middle"
		python3 "$KB_SRC/test/support/relay.py" plain c1 || return 1
		there python3 "$KB_SRC/test/support/relay.py" plain s1
		ip addr add 10.78.0.1/24 dev c1
		there ip addr add 10.78.0.2/24 dev s1
		ip link set c1 up
		there ip link set s1 up
		for end in m0 m1; do
			nsenter -t "$middle" -n ip link set $end promisc on
			nsenter -t "$middle" -n ip link set $end up
		done
	}
	[ -z "${relay:-}" ] || {
		kill "$relay"
		wait "$relay" || true
	}
	nsenter -t "$middle" -n python3 "$KB_SRC/test/support/relay.py" link m0 m1 "$@" >relay.out &
	relay=$!
	await 10 grep -q ready relay.out || fail "the relay does not start"
}
