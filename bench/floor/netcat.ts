import { freePort } from '../peers/server.ts';

/** Whether this machine has the netcat of OpenBSD, which says when it listens and ends with its input. */
export function hasNetcat(): boolean {
  return Bun.which('nc.openbsd') !== null;
}

/** The seconds of `cat FILE | nc` over loopback to an `nc -l` that discards the bytes, until both have ended. */
export async function netcatSeconds(path: string): Promise<number> {
  const port = String(freePort());
  const listener = Bun.spawn(['nc.openbsd', '-v', '-n', '-l', '127.0.0.1', port], {
    stdin: 'ignore',
    stdout: Bun.file('/dev/null'),
    stderr: 'pipe',
  });
  await listener.stderr.getReader().read();
  const begun = performance.now();
  const sender = Bun.spawn(['sh', '-c', 'cat "$1" | nc.openbsd -n -N 127.0.0.1 "$2"', 'sh', path, port], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const codes = await Promise.all([sender.exited, listener.exited]);
  const seconds = (performance.now() - begun) / 1_000;
  if (codes.some((code) => code !== 0)) throw new Error(`cat | nc ended with ${codes.join(' and ')}`);
  return seconds;
}
