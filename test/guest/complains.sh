#!/bin/sh
# A kernel that complains, while the job itself ends well: the bed must fail and print the line.
echo '<3>BUG: a complaint [of the test] by complains.sh' >/dev/kmsg
exit 0
