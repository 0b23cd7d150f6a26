# sh supervise.sh SECONDS PROGRAM ARGUMENT...
#
# Runs a program, passes SIGHUP, SIGINT and SIGTERM on to it, and ends as it does. If it has not ended SECONDS after the
# first of these signals, it is killed: a program that is blocked in a call of a file system cannot react to them.
# A shell takes 1 MB; a process of Node that did the same would take 46 MB.

HUP=1 INT=2 KILL=9 TERM=15

limit=$1
shift
stopped_by=
timer=

# Ends its sleep, too, when it is ended.
kill_after_limit() {
  trap '' HUP
  sleep "$limit" &
  sleeping=$!
  trap 'kill "$sleeping"; exit' TERM
  wait "$sleeping" && kill -$KILL "$child"
}

stop() {
  kill "-$1" "$child" 2>/dev/null
  [ -n "$stopped_by" ] && return
  stopped_by=$1
  kill_after_limit </dev/null >/dev/null 2>&1 &
  timer=$!
}

# The program ends with the process of this id. A command in the background would get an empty input.
exec 3<&0
IMAGECREW_PARENT=$$ "$@" <&3 3<&- &
child=$!
for signal in $HUP $INT $TERM; do
  trap "stop $signal" "$signal"
done

# A signal ends `wait`, too. Some shells write on it how the program ended.
while :; do
  wait "$child" 2>/dev/null
  status=$?
  kill -0 "$child" 2>/dev/null || break
done

[ -n "$timer" ] && kill "$timer" 2>/dev/null
if [ -n "$stopped_by" ] && [ "$status" -eq $((128 + KILL)) ]; then
  echo "The service did not stop in $limit seconds and was killed. A file system may not answer." >&2
  status=$((128 + stopped_by))
fi
if [ "$status" -gt 128 ]; then
  trap - HUP INT TERM
  # Does not end process 1 of a container.
  kill "-$((status - 128))" $$
fi
exit "$status"
