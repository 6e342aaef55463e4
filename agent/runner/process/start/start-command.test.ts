import { afterAll, beforeEach, describe, expect, spyOn, test } from 'bun:test';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Launch } from '../../runner.ts';
import { launchOf, shell } from '../fixtures/launch.ts';
import { openFiles } from '../fixtures/processes.ts';
import { FoundPrograms } from './found-programs.ts';
import { bunPipes, layPipes, type Source } from './pipes.ts';
import { startCommand } from './start-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'svc-start-'));
afterAll(() => rmSync(folder, { recursive: true }));

function script(name: string, text: string): string {
  const path = resolve(folder, name);
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
}

const HUGE = 'x'.repeat(128 * 1024);
const CANNOT_START: readonly (readonly [string, Launch, string, string])[] = [
  ['no such program', launchOf(['nope']), 'not_found', 'command not found: "nope"'],
  [
    'a script without a first line',
    launchOf([script('bare', 'echo')]),
    'not_executable',
    'such as #!/bin/sh',
  ],
  ['a script of no interpreter', launchOf([script('odd', '#!/no/sh\n')]), 'not_executable', 'first line of'],
  ['a folder', launchOf(['/usr']), 'not_executable', '"/usr" is a folder'],
  ['an argument that is too long', launchOf(['echo', HUGE]), 'too_long', 'longer than this system accepts'],
  ['too much of everything', launchOf(['echo', ...Array(40).fill(HUGE.slice(1))]), 'too_long', 'longer than'],
  [
    'no such folder',
    launchOf(['echo'], { cwd: '/nope' }),
    'bad_cwd',
    'working directory "/nope" does not exist',
  ],
  ['a NUL in an argument', launchOf(['echo', 'secret\0']), 'other', 'holds a NUL byte'],
  [
    'a NUL in the environment',
    launchOf(['/bin/echo'], { env: { A: 'secret\0' } }),
    'other',
    'holds a NUL byte',
  ],
  ['a NUL in the folder', launchOf(['/bin/echo'], { cwd: '/\0' }), 'bad_cwd', 'does not exist'],
];

describe('errors of a start', () => {
  test.each(CANNOT_START)('%s', (_what, launch, reason, message) => {
    const result = startCommand(launch);
    expect(result).toMatchObject({ kind: 'not_started', reason, message: expect.stringContaining(message) });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  test('a pipe for the input that cannot be opened lets nothing begin', async () => {
    const before = openFiles();
    const begun = join(folder, 'begun');
    const launch = shell(`touch ${begun}; sleep 60`, { stdin: true, executionId: 'no-input' });
    const noFiles = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    using writer = spyOn(Bun, 'file').mockImplementation(() => {
      throw noFiles;
    });
    expect(startCommand(launch)).toMatchObject({ kind: 'not_started' });
    writer.mockRestore();
    // The guard of the pipe is the only process that had begun, and it is gone.
    while (isRunning('no-input') || openFiles() > before) await setImmediate();
    expect(existsSync(begun)).toBe(false);
  });

  test('leaves no open files behind', async () => {
    const before = openFiles();
    for (const [, launch] of CANNOT_START)
      startCommand({ ...launch, transform: { parse: 'json', onError: 'fail' } });
    // Bun closes the streams' own duplicates on another thread.
    while (openFiles() > before) await setImmediate();
    expect(openFiles()).toBeLessThanOrEqual(before);
  });
});

/** Whether any process has this execution in its environment. */
function isRunning(executionId: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`SVC_EXECUTION_ID=${executionId}\0`);
    } catch {
      return false;
    }
  });
}

describe.each([
  ['with the C library', layPipes],
  ['without it', bunPipes],
])('pipes %s', (_with, lay) => {
  const MIXED = shell('for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done; exit 9');

  async function run(launch: Launch) {
    const started = startCommand(launch, lay);
    if (started.kind !== 'started') throw new Error(started.message);
    const { stdout, stderr } = started.outputs;
    const texts = await Promise.all([textOf(stdout), stderr === undefined ? undefined : textOf(stderr)]);
    return { texts, exitCode: await started.process.exited };
  }

  test('one for both keeps the order', async () => {
    const lines = [1, 2, 3, 4, 5].map((i) => `o${i}\ne${i}\n`);
    expect(await run(MIXED)).toEqual({ texts: [lines.join(''), undefined], exitCode: 9 });
  });

  test('one each keeps stdout alone, for a transform', async () => {
    const launch: Launch = { ...MIXED, transform: { parse: 'lines', onError: 'fail' } };
    expect(await run(launch)).toEqual({
      texts: ['o1\no2\no3\no4\no5\n', 'e1\ne2\ne3\ne4\ne5\n'],
      exitCode: 9,
    });
  });

  test('arguments arrive unchanged', async () => {
    const values = ['', '$0', '"', "'", '2>&1', 'a b'];
    expect((await run(launchOf(['printf', '%s|', ...values]))).texts).toEqual([
      `${values.join('|')}|`,
      undefined,
    ]);
  });
});

describe('a program that was found a moment ago', () => {
  const places = ['first', 'second'].map((name) => join(folder, name)) as [string, string];
  const launch = launchOf(['where'], { inherited: {}, env: { PATH: places.join(':') } });
  const install = (place: string) => script(join(place, 'where'), `#!/bin/sh\necho ${place}\n`);

  async function run(found: FoundPrograms): Promise<string> {
    const started = startCommand(launch, layPipes, found);
    return started.kind === 'started' ? textOf(started.outputs.stdout) : started.message;
  }

  beforeEach(() => {
    for (const place of places) {
      rmSync(place, { recursive: true, force: true });
      mkdirSync(place);
    }
  });

  test('runs at once from another folder when it is gone, and is not found when it is gone from all', async () => {
    const found = new FoundPrograms();
    for (const place of places) install(place);
    expect(await run(found)).toBe(`${places[0]}\n`);
    rmSync(join(places[0], 'where'));
    expect(await run(found)).toBe(`${places[1]}\n`);
    rmSync(join(places[1], 'where'));
    expect(await run(found)).toBe('command not found: "where"');
  });

  test('gives way a second later to one that is earlier in the PATH', async () => {
    let nowMs = 0;
    const found = new FoundPrograms(() => nowMs);
    install(places[1]);
    expect(await run(found)).toBe(`${places[1]}\n`);
    install(places[0]);
    nowMs = 999;
    expect(await run(found)).toBe(`${places[1]}\n`);
    nowMs = 1000;
    expect(await run(found)).toBe(`${places[0]}\n`);
  });
});

async function textOf(source: Source): Promise<string> {
  const reader = source.reader();
  const decoder = new TextDecoder();
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read())
    text += decoder.decode(part.value);
  return text;
}
