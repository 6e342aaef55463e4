#!/bin/sh
# Runs after the package was installed or upgraded, as Debian's postinst and as rpm's %post.
set -e

if command -v systemd-sysusers >/dev/null; then
  systemd-sysusers svc.conf
else
  for entry in svc:/etc/svc svc-hub:/var/lib/svc-hub; do
    getent passwd "${entry%%:*}" >/dev/null ||
      useradd --system --user-group --no-create-home --home-dir "${entry#*:}" --shell /usr/sbin/nologin "${entry%%:*}"
  done
fi

if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # Only units that run are restarted. A restarted agent lets its commands finish first, so nothing waits for it here.
  systemctl try-restart --no-block svc-hub.service svc-agent.service svc-runner.service
fi
