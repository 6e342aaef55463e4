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
  # Replaces the processes of units that run, without a failed call. It waits for commands of the agent, so nothing waits for it here.
  systemctl restart --no-block svc-upgrade.service
fi
