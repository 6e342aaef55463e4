#!/bin/sh
# Says what the process $1 shows to this one: `found` where a token of an agent can be read, `clean` where something else can,
# `denied` where nothing can. It prints no token: output is masked.
pid=$1

look() {
  if { tr '\0' '\n' <"/proc/$pid/$1"; } 2>/dev/null | grep -q 'svc_at_[0-9A-Za-z]\{49\}'; then echo "$1 found"
  elif (: <"/proc/$pid/$1") 2>/dev/null; then echo "$1 clean"
  else echo "$1 denied"
  fi
}

look environ
look cmdline
if (: <"/proc/$pid/mem") 2>/dev/null; then echo 'mem open'; else echo 'mem denied'; fi
if ls "/proc/$pid/fd" >/dev/null 2>&1; then echo 'fd open'; else echo 'fd denied'; fi
pid=self
look environ
echo "descriptors $(ls /proc/self/fd | tr '\n' ' ')"
echo "variables $(env | grep -c 'TOKEN\|CREDENTIALS')"
