// The session that the start page and README.md show: `svc up` in an empty folder, and two calls from another terminal. The shells,
// the programs and the times are real.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AS_NOBODY, giveToNobody } from '../../test/as-nobody.ts';
import { freePort } from '../../test/free-port.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import type { Cast } from './cast.ts';
import { type Placeholder, RecordedTerminal } from './terminal.ts';

const CALLS = [
  'svc call count to=3',
  'curl -N -H "X-API-Key: $SVC_API_KEY" "$SVC_BASE_URL/v1/local/count?to=2"',
] as const;

const SIZE = { columns: 108, rows: 14 } as const;
const STARTER_QUESTION = '[Y/n] ';
/** The last row that `svc up` prints before it checks whether this machine can run containers. */
const LAST_ROW = /stop\S* +Ctrl-C\r\n/;

interface SessionOptions {
  /** The command that starts svc, such as `dist/svc`. */
  readonly svc: readonly string[];
  /** The time between two keys; the pause before a command is ten times as long. */
  readonly keyMs: number;
}

/** Plays the session, and returns what both terminals received. */
export async function playSession({ svc, keyMs }: SessionOptions): Promise<readonly [up: Cast, calls: Cast]> {
  await using folder = await temporaryFolder();
  const [home, programs] = [join(folder.path, 'home'), join(folder.path, 'bin')];
  for (const path of [home, programs]) mkdirSync(path);
  giveToNobody(folder.path, home);
  const words = svc.map((word) => `'${word}'`).join(' ');
  writeFileSync(join(programs, 'svc'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  // Otherwise the shell sends an escape sequence around each line.
  writeFileSync(join(folder.path, 'inputrc'), 'set enable-bracketed-paste off\n');
  const port = await freePort();
  const env = {
    HOME: home,
    INPUTRC: join(folder.path, 'inputrc'),
    LANG: 'C.UTF-8',
    PATH: `${programs}:/usr/bin:/bin`,
    PS1: '$ ',
    SVC_PORT: String(port),
    TERM: 'xterm-256color',
  };
  const startMs = performance.now();
  const open = (title: string, more: Readonly<Record<string, string>> = {}) =>
    RecordedTerminal.open({
      ...SIZE,
      title,
      startMs,
      keyMs,
      shell: [...AS_NOBODY, 'bash', '--noprofile', '--norc', '-i'],
      cwd: home,
      env: { ...env, ...more },
    });

  await using machine = await open('The machine with the commands');
  await machine.type('svc up');
  await machine.shows(STARTER_QUESTION);
  await machine.type('y');
  await machine.shows(LAST_ROW);
  const key = /svc_sk_\w+/.exec(machine.text)?.[0] ?? '';
  const url = `http://127.0.0.1:${port}`;

  await using caller = await open('Another terminal', { SVC_API_KEY: key, SVC_BASE_URL: url });
  for (const command of CALLS) {
    await caller.type(command);
    await caller.hasPrompt();
  }
  // The folder, the port, the user and the keys of this run are replaced, because they mean nothing to a reader.
  const placeholders: readonly Placeholder[] = [
    [/(svc_sk_\w{12})\w+/g, '$1…'],
    [/(\/login\/[\w-]{12})[\w-]+/g, '$1…'],
    [url, 'http://127.0.0.1:8787'],
    [home, '/home/ada'],
    [/(run as )[\w-]+(, like svc up)/, '$1ada$2'],
  ];
  const casts = [machine.cast(placeholders, LAST_ROW), caller.cast(placeholders)] as const;
  await machine.interrupt();
  return casts;
}
