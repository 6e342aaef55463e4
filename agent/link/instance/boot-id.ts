import { readFileSync } from 'node:fs';

/**
 * What tells this start of the machine from all others: a journal is complete as long as it is the same (decision 24).
 *
 * Where the system does not say it, every process has another one, which is the careful answer.
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
