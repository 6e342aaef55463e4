import { expect, test } from 'bun:test';
import { CollectingSink } from '../../process/fixtures/collecting-sink.ts';
import { launchOf } from '../../process/fixtures/launch.ts';
import type { Ending, Launch } from '../../runner.ts';
import { ContainerRunner } from '../container-runner.ts';
import { LocalEngine } from '../fixtures/local-engine.ts';
import { NO_VOLUMES } from '../fixtures/no-volumes.ts';

/** Frames in printf notation, as a hostile process 1 writes them. */
const frame = (kind: string, payload: string) =>
  `${kind}\\000\\000\\${Math.floor(payload.length / 256)
    .toString(8)
    .padStart(3, '0')}\\${(payload.length % 256).toString(8).padStart(3, '0')}${payload}`;
const READY = frame('R', '');
const ACCEPTED = frame('A', '');

async function runWith(
  said: string,
  different: Partial<Launch> = {},
  accepted = ACCEPTED,
): Promise<{ ending: Ending; output: string }> {
  const command = [
    '/bin/sh',
    '-c',
    `printf '${READY}'; read -r _line; printf '${accepted}${said}'; exec sleep 600`,
  ];
  await using runner = new ContainerRunner({
    engine: new LocalEngine({ command }),
    volumes: NO_VOLUMES,
    outputs: NO_VOLUMES,
    transforms: { run: () => Promise.reject(new Error('not in this test')) },
    capacity: 1,
    maxWaiting: 1,
    onTrouble: (cause) => console.error(cause),
    graces: { killGraceMs: 100, drainAfterExitMs: 100 },
  });
  const sink = new CollectingSink();
  const container = { vcpus: 1, memoryBytes: 1, network: false, runId: undefined };
  // The shell reads only the first line of the job.
  const { ended } = runner.start(launchOf(['true', '\n'], { container, ...different }), sink);
  const ending = await ended;
  return { ending, output: sink.text };
}

test('a forged ending ends only its own execution', async () => {
  const { ending, output } = await runWith(frame('O', 'hi') + frame('X', '7') + frame('D', ''));
  expect(ending).toMatchObject({ kind: 'exited', exitCode: 7 });
  expect(output).toBe('hi');
});

test('the first of two ends counts', async () => {
  const { ending } = await runWith(frame('X', '7') + frame('X', '0') + frame('D', ''));
  expect(ending).toMatchObject({ kind: 'exited', exitCode: 7 });
});

test('a frame that no shim sends ends the execution as lost', async () => {
  expect((await runWith(frame('O', 'hi') + frame('Z', ''))).ending).toMatchObject({ kind: 'lost' });
  expect((await runWith(frame('X', '999'))).ending).toMatchObject({ kind: 'lost' });
});

test('`done` without an ending stops the container', async () => {
  expect((await runWith(frame('D', ''))).ending).toMatchObject({ kind: 'lost' });
});

test('a silent container is ended at the timeout', async () => {
  expect((await runWith('', { timeoutMs: 50 })).ending.kind).toBe('timed_out');
});

test('frames about a command that has not begun are not trusted', async () => {
  const { ending, output } = await runWith(frame('O', 'hi') + frame('X', '0'), {}, '');
  expect(ending).toMatchObject({ kind: 'lost' });
  expect(output).toBe('');
});

test('output after the end is cut off', async () => {
  const { ending, output } = await runWith(frame('X', '0') + frame('O', 'more'));
  expect(ending).toMatchObject({ kind: 'exited', exitCode: 0 });
  expect(output).toBe('more');
});
