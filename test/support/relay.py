#!/usr/bin/env python3
"""A link between two network devices for tests: hands each frame of one to the other after a time, and loses some.

relay.py plain DEVICE...                   frames of DEVICE are whole when they leave it: no segmentation and no checksums later on
relay.py link A B DELAY_MS [LOSE_EACH]     until it is killed; LOSE_EACH: of the frames with data (100 bytes and more) each so manyth is lost
"""
import array
import fcntl
import heapq
import select
import socket
import struct
import sys
import time

SIOCETHTOOL = 0x8946
SET_TX_CHECKSUM, SET_TSO, SET_GSO, SET_GRO = 0x17, 0x1f, 0x24, 0x2c
OUTGOING = 4


def plain(device):
    control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for what in (SET_TX_CHECKSUM, SET_TSO, SET_GSO, SET_GRO):
        value = array.array("B", struct.pack("II", what, 0))
        request = struct.pack("16sP", device.encode(), value.buffer_info()[0])
        try:
            fcntl.ioctl(control, SIOCETHTOOL, request)
        except OSError as error:
            # What a device has not needs not be taken away.
            if what == SET_TX_CHECKSUM:
                raise SystemExit("%s: %s" % (device, error))


def link(names, delay, lose_each):
    ends = []
    for name in names:
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        end.bind((name, 0))
        end.setblocking(False)
        ends.append(end)
    waiting, count, data = [], 0, 0
    print("ready", flush=True)
    while True:
        limit = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        readable, _, _ = select.select(ends, [], [], limit)
        for end in readable:
            frame, address = end.recvfrom(70000)
            if address[2] == OUTGOING:
                continue
            data += len(frame) >= 100
            if lose_each and len(frame) >= 100 and data % lose_each == 0:
                continue
            count += 1
            heapq.heappush(waiting, (time.monotonic() + delay, count, ends[1 - ends.index(end)], frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, end, frame = heapq.heappop(waiting)
            try:
                end.send(frame)
            except OSError:
                pass


def main(words):
    if words[:1] == ["plain"]:
        for device in words[1:]:
            plain(device)
    elif words[:1] == ["link"] and len(words) in (4, 5):
        link(words[1:3], float(words[3]) / 1000, int(words[4]) if len(words) == 5 else 0)
    else:
        raise SystemExit(__doc__)


main(sys.argv[1:])
