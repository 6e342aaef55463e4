#!/bin/sh
# The last step of the runner image, in its root, whichever way it is built: the user, the folders, and less.
set -eu

groupadd --gid 10001 runner
useradd --uid 10001 --gid 10001 --home-dir /workspace --no-create-home --shell /bin/bash runner

# A file system is mounted on each. Some engines copy owner and mode of what is below.
install -d -m 0755 -o runner -g runner /workspace
install -d -m 1777 /output

# Nobody changes who they are: a container has no use for it, and its kernel would refuse.
find / -xdev -type f -perm /6000 -exec chmod u-s,g-s {} +

# What the machine that built it was called, where it asked for names, and what only installing needs.
: > /etc/hostname
: > /etc/resolv.conf
printf '127.0.0.1 localhost\n::1 localhost\n' > /etc/hosts
: > /etc/machine-id
rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/cache/debconf/* /var/log/* /tmp/* /var/tmp/*
