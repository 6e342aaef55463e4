#!/bin/sh
# Runs before the package is removed, as Debian's prerm and as rpm's %preun. An upgrade keeps everything running.
set -e

case "$1" in
remove | 0) ;;
*) exit 0 ;;
esac

if [ -d /run/systemd/system ]; then
  systemctl stop svc-upgrade.service svc-agent-upgrade.service || true
  systemctl disable --now svc-hub.service svc-agent.service svc-runner.service || true
fi
