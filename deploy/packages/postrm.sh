#!/bin/sh
# Runs after the package was removed, as Debian's postrm. `apt purge` also removes tokens, settings, data and users.
set -e

[ ! -d /run/systemd/system ] || systemctl daemon-reload

if [ "$1" = purge ]; then
  rm -rf /etc/svc /var/lib/svc-hub /var/lib/svc-agent /var/lib/svc-agent-artifacts /var/lib/svc-runner
  for user in svc svc-hub; do
    ! getent passwd "$user" >/dev/null || userdel "$user"
    ! getent group "$user" >/dev/null || groupdel "$user"
  done
fi
