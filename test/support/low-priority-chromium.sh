#!/bin/sh
# Chromium beside services that are measured (served.ts): on core 0, and there only when nothing else wants it. Linux schedules its
# session as a group, with a priority of the group's own.
echo 19 > /proc/self/autogroup 2> /dev/null
exec taskset --cpu-list 0 chrt --idle 0 chromium "$@"
