import { readFileSync } from 'node:fs';

/**
 * An id of this start of the machine. A journal is complete while it stays the same (decision 24, states and takeover).
 *
 * On systems without such an id, every process gets another one, which is the careful choice.
 */
export function bootId(): string {
  return (process.platform === 'darwin' ? darwinBootId() : linuxBootId()) ?? crypto.randomUUID();
}

function linuxBootId(): string | undefined {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

function darwinBootId(): string | undefined {
  try {
    const { stdout } = Bun.spawnSync(['/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid']);
    return stdout.toString().trim().toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}
