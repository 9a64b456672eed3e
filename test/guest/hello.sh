#!/bin/sh
# Shows that the bed works: which kernel, how much memory is free.
uname -r
free -m
