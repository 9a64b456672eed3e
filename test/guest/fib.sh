# fib_lookup in a table with many routes: an empty table says nothing about the tree that holds them. The benchmark looks for
# seeded addresses in networks 11.X.Y.0/24, where X.Y is j x 40503 modulo 65536.
part "routes"
routes=60
j=0
while [ $j -lt $routes ]; do
	network=$((j * 40503 % 65536))
	j=$((j + 1))
	ip route add "11.$((network / 256)).$((network % 256)).0/24" dev lo 2>/tmp/error || complain "ip route add: $(cat /tmp/error)"
done
[ "$(grep -c '^lo' /proc/net/route)" -eq $routes ] || complain "$(grep -c '^lo' /proc/net/route) routes, not $routes"
set_to fib_lookup prefixes 0 addresses 0 expect first loop_count 1000
run_of fib_lookup
echo "fib_lookup 8.8.8.8: $line"
set_to fib_lookup prefixes $routes addresses 1000 expect route
run_of fib_lookup
expect ok "fib_lookup among $routes routes"
echo "fib_lookup prefixes=$routes addresses=1000: $line"
# One route more than there is: some address has none, and that is found before anything is timed.
set_to fib_lookup prefixes $((routes + 1)) addresses 4096
run_of fib_lookup
expect EBADMSG "fib_lookup of an address without the route that it must have"
set_to fib_lookup prefixes 0 addresses 0 expect first loop_count 20
# Takes all routes by way of it along.
ip link set lo down
ip link set lo up
