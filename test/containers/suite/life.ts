// One execution in a container, from its start to the end of all that was made for it.
import { beforeAll, describe, expect, test } from 'bun:test';
import { rawParts } from '@svc/core/execution/raw-output';
import type { ContainerWorld } from '../container-world.ts';
import { leftOf, nothingLeftOf } from '../left.ts';

export function theLife(given: () => ContainerWorld): void {
  describe('a hosted execution', () => {
    let world: ContainerWorld;
    beforeAll(() => {
      world = given();
    });

    test.each([0, 1, 77, 255])('ends with the exit code of its command, here %d', async (code) => {
      expect((await world.run(`exit ${code}`)).ending).toMatchObject({ kind: 'exited', exitCode: code });
    });

    test('says which signal ended its command, as a shell does', async () => {
      expect((await world.run('kill -TERM $$')).ending).toMatchObject({ kind: 'exited', exitCode: 143 });
    });

    test('has both streams, in the order in which they were written', async () => {
      const lines = Array.from({ length: 50 }, (_, n) => `echo out ${n}; echo err ${n} >&2`).join('; ');
      const expected = Array.from({ length: 50 }, (_, n) => `out ${n}\nerr ${n}\n`).join('');
      expect((await world.run(lines)).output).toBe(expected);
    });

    test('passes on every byte, whatever it is', async () => {
      const digest = await world.output(
        'head -c 3000000 /dev/urandom > /tmp/x; sha256sum < /tmp/x | cut -c 1-64 >&2; base64 /tmp/x',
      );
      const [expected = '', ...text] = digest.split('\n');
      const bytes = Buffer.from(text.join(''), 'base64');
      expect(new Bun.CryptoHasher('sha256').update(bytes).digest('hex')).toBe(expected);
    });

    test('separates raw stdout from stderr, byte by byte', async () => {
      const { ending, output } = await world.run("printf 'a\\377\\0'; echo note >&2; printf b", {
        output: 'events',
        streams: 'raw',
      });
      const parts = rawParts(new TextEncoder().encode(output));
      const stdout = parts.flatMap((part) => (part.kind === 'stdout' ? [...part.bytes] : []));
      expect(ending).toMatchObject({ kind: 'exited', exitCode: 0 });
      expect(stdout).toEqual([97, 255, 0, 98]);
      expect(parts.filter(({ kind }) => kind !== 'stdout')).toEqual([{ kind: 'stderr', line: 'note' }]);
    });

    test('gives a transform its stdout alone', async () => {
      const transform = { parse: 'json', onError: 'fail' } as const;
      const { ending } = await world.run('echo noise >&2; echo \'{"a": 1}\'', { transform });
      expect(ending).toMatchObject({
        kind: 'exited',
        exitCode: 0,
        transformed: { kind: 'data', json: '{"a":1}' },
      });
    });

    test('keeps the output where a transform fails and gives it anyway', async () => {
      const transform = { parse: 'json', onError: 'raw' } as const;
      const { ending, output } = await world.run('echo no json', { transform });
      expect(ending).toMatchObject({ kind: 'exited', transformed: { kind: 'skipped' } });
      expect(output).toBe('no json\n');
    });

    test.each([
      { argv: ['/nowhere/program'], reason: 'not_found' },
      { argv: ['nosuchprogram'], reason: 'not_found' },
      { argv: ['/etc/passwd'], reason: 'not_executable' },
      { argv: ['true'], cwd: '/nowhere', reason: 'bad_cwd' },
      { argv: ['true'], cwd: '/root', reason: 'bad_cwd' },
      { argv: ['true', 'x'.repeat(200_000)], reason: 'too_long' },
      { argv: ['echo', 'a\0b'], reason: 'other' },
    ] as const)('says why it did not start: $reason ($argv.0)', async ({ argv, reason, ...different }) => {
      const { ending } = await world.run('', { argv: [argv[0], ...argv.slice(1)], ...different });
      expect(ending).toMatchObject({ kind: 'not_started', reason });
    });

    test('has exactly the environment that it was given', async () => {
      const env = { B: 'two words', C: 'a=b', D: '', E: 'ü\nnext line' };
      const output = await world.output('', { argv: ['/usr/bin/env', '-0'], inherited: { A: '1' }, env });
      expect(output.split('\0').sort()).toEqual(['', 'A=1', 'B=two words', 'C=a=b', 'D=', 'E=ü\nnext line']);
    });

    test('ends at its time-out, and leaves no process, container, mount or control group', async () => {
      const before = leftOf(world);
      const { ending } = await world.run('sleep 600 & setsid sleep 600 & sleep 600', { timeoutMs: 200 });
      expect(ending.kind).toBe('timed_out');
      await nothingLeftOf(world, before);
    });

    test('has a moment to end by itself when it is cancelled', async () => {
      const running = world.start(
        'trap "echo tidied up; exit 0" TERM; echo up; while :; do sleep 0.05; done',
      );
      await running.sink.seen('up');
      running.cancel();
      expect((await running.ended).kind).toBe('cancelled');
      // The shell may say before it that what it was waiting for has been terminated.
      expect(running.sink.text).toEndWith('tidied up\n');
    });

    test('is killed when it takes no notice, with everything that it started', async () => {
      const before = leftOf(world);
      const stubborn =
        'trap "" TERM; (trap "" TERM; exec sleep 600) & setsid sleep 600 & echo up; while :; do sleep 600; done';
      const running = world.start(stubborn);
      await running.sink.seen('up');
      running.cancel();
      const { kind, durationMs } = (await running.ended) as { kind: string; durationMs: number };
      expect(kind).toBe('cancelled');
      expect(durationMs).toBeGreaterThanOrEqual(5_000);
      await nothingLeftOf(world, before);
    }, 180_000);

    test('is cancelled before it has begun', async () => {
      const running = world.start('echo ran');
      running.cancel();
      expect((await running.ended).kind).toBe('cancelled');
      expect(running.sink.text).toBe('');
    });

    test('does not wait for what it left behind for longer than two seconds', async () => {
      const began = performance.now();
      const { ending, output } = await world.run('echo done; sleep 600 &');
      expect(ending).toMatchObject({ kind: 'exited', exitCode: 0 });
      expect(output).toBe('done\n');
      // Far less than it sleeps, however slow the machine is.
      expect(performance.now() - began).toBeLessThan(120_000);
    }, 180_000);

    test('pauses while its output is not read, and loses none of it', async () => {
      const { promise: opened, resolve: open } = Promise.withResolvers<void>();
      let bytes = 0;
      const running = world.runner.start(
        { ...LAUNCH, argv: ['/bin/sh', '-c', 'head -c 20000000 /dev/zero'] },
        {
          async write(chunk) {
            bytes += chunk.length;
            await opened;
          },
        },
      );
      const ended = running.ended.then(() => true);
      // Others run meanwhile: longer than it would take to print everything.
      for (let others = 0; others < 10; others += 1) await world.output('true');
      expect(await Promise.race([ended, Promise.resolve(false)])).toBe(false);
      expect(bytes).toBeLessThan(1_000_000);
      open();
      expect((await running.ended).kind).toBe('exited');
      expect(bytes).toBe(20_000_000);
    });

    test('many at once all run, each in its own container', async () => {
      const numbers = Array.from({ length: manyFor(world) }, (_, n) => n);
      const all = await Promise.all(numbers.map((n) => world.output(`echo ${n} > /tmp/n; cat /tmp/n`)));
      expect(all).toEqual(numbers.map(String));
    }, 180_000);
  });
}

/** A hundred; with Docker, where each costs much more, only in the long run. */
function manyFor({ runner }: ContainerWorld): number {
  return /docker/i.test(runner.engine) && process.env.SVC_TEST_LONG === undefined ? 25 : 100;
}

const LAUNCH = {
  executionId: 'slow-reader',
  argv: ['true'] as readonly [string, ...string[]],
  inherited: { PATH: '/usr/bin:/bin' },
  env: {},
  cwd: '/workspace',
  timeoutMs: 60_000,
  output: 'raw',
  masks: [],
  container: { vcpus: 1, memoryBytes: 512 * 1024 * 1024, network: false, runId: undefined },
} as const;
