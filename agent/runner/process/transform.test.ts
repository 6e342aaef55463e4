import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Transform } from '@svc/core/execution/transform/transform';
import { LIMITS } from '@svc/core/plan/limits';
import type { Runner } from '../runner.ts';
import { CollectingSink } from './fixtures/collecting-sink.ts';
import { shell } from './fixtures/launch.ts';
import { quickRunner, runToEnd } from './fixtures/runner.ts';

let runner: Runner;
beforeAll(() => {
  runner = quickRunner();
});
afterAll(() => runner[Symbol.asyncDispose]());

const OR_FAIL: Transform = { parse: 'json', onError: 'fail' };
const OR_RAW: Transform = { parse: 'json', onError: 'raw' };

const run = (text: string, transform: Transform, output: 'events' | 'raw' = 'events') =>
  runToEnd(runner, shell(text, { transform, output }));

/** Waits until both pipes have been read empty (FIONREAD). */
const TAKEN =
  'perl -e \'for $fd (1, 2) { open $pipe, ">&=", $fd; do { select undef, undef, undef, 0.001; ioctl $pipe, 0x541B, $left = pack "i", 0 } while unpack "i", $left }\'';
/** Prints lines that arrive in the order written, although there are two pipes. */
const MIXED = `echo out; ${TAKEN}; echo err >&2; ${TAKEN}; echo out2`;
const EVENTS = ['out', 'err', 'out2']
  .map((data) => `data: ${JSON.stringify({ type: 'output', data })}\n\n`)
  .join('');

describe('a command that exits with 0', () => {
  test('gives one event with the result, from stdout alone', async () => {
    const { text, ending } = await run(MIXED, OR_FAIL);
    expect(text).toBe('data: {"type":"transformed_output","data":{"length":9}}\n\n');
    expect(ending).toMatchObject({ exitCode: 0, transformed: { kind: 'data', json: '{"length":9}' } });
  });

  test('gives nothing to a sink that wants raw bytes; the result is in the ending', async () => {
    const { text, ending } = await run('echo out', OR_FAIL, 'raw');
    expect(text).toBe('');
    expect(ending).toMatchObject({ transformed: { kind: 'data', json: '{"length":4}' } });
  });

  test('gives only the reason when its transform fails', async () => {
    const { text, ending } = await run('echo bad', OR_FAIL);
    expect(text).toBe('');
    expect(ending).toMatchObject({ exitCode: 0, transformed: { kind: 'failed', reason: 'it is bad' } });
  });

  test('gives its output when its transform fails with on_error: raw', async () => {
    const { text, ending } = await run(`echo bad; sleep 0.1; ${MIXED}`, OR_RAW, 'raw');
    expect(text).toBe('bad\nout\nerr\nout2\n');
    expect(ending).toMatchObject({ exitCode: 0, transformed: { kind: 'skipped', reason: 'it is bad' } });
  });
});

describe('a transform is skipped and the output given', () => {
  test('when the exit code is not 0', async () => {
    const { text, ending } = await run(`${MIXED}; exit 3`, OR_FAIL);
    expect(text).toBe(EVENTS);
    expect(ending).toMatchObject({ exitCode: 3, transformed: { kind: 'skipped' } });
  });

  test('when the command was timed out or cancelled', async () => {
    const late = await runToEnd(
      runner,
      shell('echo out; sleep 60', { transform: OR_FAIL, timeoutMs: 2_000 }),
    );
    expect(late).toMatchObject({ text: 'out\n', ending: { kind: 'timed_out' } });
    const sink = new CollectingSink();
    const command = runner.start(shell('sleep 60', { transform: OR_FAIL }), sink);
    command.cancel();
    expect(await command.ended).not.toHaveProperty('transformed');
  });
});

describe('more than a transform takes', () => {
  const BYTES = LIMITS.transformInputBytes + 1;
  const TOO_LONG = `head -c ${BYTES} /dev/zero | tr '\\0' x`;

  test('is a failure', async () => {
    const { text, ending } = await run(TOO_LONG, OR_FAIL);
    expect(text).toBe('');
    expect(ending).toMatchObject({
      transformed: { kind: 'failed', reason: expect.stringContaining(`${LIMITS.transformInputBytes} bytes`) },
    });
  });

  test('is kept up to the limit if the exit code is not 0, with a line that reports it', async () => {
    const { text, ending } = await run(`${TOO_LONG}; exit 1`, OR_FAIL, 'raw');
    expect(text).toBe(`${'x'.repeat(BYTES - 1)}\n[svc: 1 bytes of output were not kept]\n`);
    expect(ending).toMatchObject({ exitCode: 1, transformed: { kind: 'skipped' } });
  });

  test('is streamed from there on with on_error: raw', async () => {
    const sink = new CollectingSink();
    const text = `${TOO_LONG}; echo streams >&2; sleep 60`;
    const command = runner.start(shell(text, { transform: OR_RAW }), sink);
    await sink.seen('streams\n');
    command.cancel();
    expect((await command.ended).kind).toBe('cancelled');
    expect(sink.text.length).toBe(BYTES + 'streams\n'.length);
  });

  test('of exactly the limit is still transformed', async () => {
    const { ending } = await run(`head -c ${BYTES - 1} /dev/zero`, OR_FAIL);
    expect(ending).toMatchObject({ transformed: { kind: 'data', json: `{"length":${BYTES - 1}}` } });
  });
});
