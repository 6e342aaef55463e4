import { join } from 'node:path';

/**
 * The same two commands on every side. `argv`: the echo program, no shell, which is what a user of webhook writes and what
 * `command: echo hi` is to us (decision 6, two modes of a command). `shell`: the shell starts and prints by itself.
 */
export const COMMANDS = {
  argv: ['/bin/echo', 'hi'],
  shell: ['/bin/sh', '-c', 'echo hi'],
} as const;

/** The output of both inside a JSON answer, and in plain text. */
export const PRINTED = 'hi';

/** The same commands as endpoints `argv` and `shell`; the semicolon is the shell syntax that makes it shell mode. */
export async function writeConfig(folder: string): Promise<string> {
  const path = join(folder, 'svc.yaml');
  await Bun.write(
    path,
    [
      'version: 1',
      'endpoints:',
      '  - name: argv',
      '    command: echo hi',
      '  - name: shell',
      '    command: echo hi;',
      '',
    ].join('\n'),
  );
  return path;
}
