import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Ending, Launch, Runner, RunningCommand } from '../../runner.ts';
import { CollectingSink } from '../fixtures/collecting-sink.ts';
import { launchOf, shell } from '../fixtures/launch.ts';
import { runs } from '../fixtures/processes.ts';
import { quickRunner, runToEnd } from '../fixtures/runner.ts';

/** Runs for half a minute, so that no process of a failing test runs forever. */
const RUN_ON = 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); sleep 0.01; done';

let runner: Runner;
/** A grace that lasts longer than any test, so nothing is killed. */
let patient: Runner;
beforeAll(() => {
  runner = quickRunner();
  patient = quickRunner({ killGraceMs: 60_000, drainAfterExitMs: 60_000 });
});
afterAll(async () => {
  await runner[Symbol.asyncDispose]();
  await patient[Symbol.asyncDispose]();
});

/** Cancels a command when it has printed "ready". Returns its earlier output, also as numbers. */
async function cancelWhenReady(of: Runner, launch: Launch) {
  const sink = new CollectingSink();
  const command: RunningCommand = of.start(launch, sink);
  await sink.seen('ready\n');
  command.cancel();
  const ending: Ending = await command.ended;
  return { ending, text: sink.text, pids: (sink.text.match(/^\d+$/gm) ?? []).map(Number) };
}

describe('time-out and cancel', () => {
  test('a command that takes too long ends at its timeout', async () => {
    const { text, ending } = await runToEnd(
      runner,
      shell('echo begun; sleep 60; echo not', { timeoutMs: 2_000 }),
    );
    expect(text).toBe('begun\n');
    if (ending.kind !== 'timed_out') throw new Error(`it ${ending.kind}`);
    expect(ending.durationMs).toBeWithin(2_000, 60_000);
  });

  test('a command that obeys SIGTERM may clean up, and its last output arrives', async () => {
    const { text, ending } = await cancelWhenReady(
      patient,
      shell(`trap "echo cleaned; exit 0" TERM; echo ready; ${RUN_ON}`),
    );
    expect(text).toEndWith('cleaned\n');
    expect(ending.kind).toBe('cancelled');
  });

  test('the whole group has the grace, also when its leader obeys at once', async () => {
    const slow = `(trap "sleep 0.2; echo flushed; exit" TERM; echo ready; ${RUN_ON})`;
    const { text } = await cancelWhenReady(patient, shell(`${slow} & wait`));
    expect(text).toEndWith('flushed\n');
  });

  test('a command that ignores SIGTERM is killed after the grace', async () => {
    const { ending, pids } = await cancelWhenReady(
      runner,
      shell(`trap "" TERM; echo $$; echo ready; ${RUN_ON}`),
    );
    expect(ending.kind).toBe('cancelled');
    expect(pids.map(runs)).toEqual([false]);
  });

  test('a member of the group that ignores SIGTERM is killed after its leader has ended', async () => {
    const stubborn = `(trap "" TERM; sh -c "echo \\$PPID; echo ready"; ${RUN_ON})`;
    const { pids } = await cancelWhenReady(runner, shell(`${stubborn} & wait`));
    expect(pids).toHaveLength(1);
    expect(pids.map(runs)).toEqual([false]);
  });

  test('a zombie does not use up the grace', async () => {
    // Its parent is in a group of its own, so SIGTERM ends all living members of the group and the zombie stays.
    const keeper =
      'setpgrp(0, 0); $zombie = fork or exit; setpgrp($zombie, $group); print "ready\\n"; sleep 60';
    const program = `$| = 1; $group = getpgrp; unless (fork) { ${keeper} } sleep 60`;
    const { ending } = await cancelWhenReady(patient, launchOf(['perl', '-e', program]));
    expect(ending.kind).toBe('cancelled');
  });

  test('a child that left the group and closed the pipe is killed', async () => {
    const escaped = 'setsid sh -c "echo \\$\\$; echo ready; exec sleep 60 > /dev/null 2>&1"';
    const { pids } = await cancelWhenReady(runner, shell(`${escaped} & sleep 60`));
    expect(pids).toHaveLength(1);
    expect(pids.map(runs)).toEqual([false]);
  });

  test('children that keep escaping are all killed', async () => {
    const hydra = "setsid sh -c 'i=0; while [ $i -lt 30 ]; do setsid sleep 60 & echo $!; i=$((i+1)); done'";
    const { pids } = await cancelWhenReady(runner, shell(`${hydra}; echo ready; sleep 60`));
    expect(pids).toHaveLength(30);
    expect(pids.filter(runs)).toEqual([]);
  });

  test('many at once end together', async () => {
    const commands = Array.from({ length: 50 }, () =>
      cancelWhenReady(runner, shell('echo $$; echo ready; sleep 60')),
    );
    const ended = await Promise.all(commands);
    expect(ended.map(({ ending }) => ending.kind)).toEqual(Array(50).fill('cancelled'));
    expect(ended.flatMap(({ pids }) => pids).filter(runs)).toEqual([]);
  });

  test('a second cancel has no effect, and a cancel wins over a timeout in the grace', async () => {
    await using slow = quickRunner({ killGraceMs: 3_000 });
    const sink = new CollectingSink();
    const launch = shell(`trap "" TERM; echo ready; ${RUN_ON}`, { timeoutMs: 2_000 });
    const command = slow.start(launch, sink);
    await sink.seen('ready\n');
    command.cancel();
    command.cancel();
    expect((await command.ended).kind).toBe('cancelled');
  });

  test('a command can be cancelled before its thread has its order', async () => {
    await using fresh = quickRunner();
    const command = fresh.start(shell('sleep 60'), new CollectingSink());
    command.cancel();
    expect((await command.ended).kind).toBe('cancelled');
  });
});

describe('after a command has exited by itself', () => {
  test('a grandchild that holds the pipe does not delay the execution, and survives', async () => {
    const { text, ending } = await runToEnd(runner, shell('sleep 60 & echo $!; exit 4'));
    expect(ending).toMatchObject({ kind: 'exited', exitCode: 4 });
    const grandchild = Number(text);
    expect(runs(grandchild)).toBe(true);
    process.kill(grandchild);
  });

  test('output of a grandchild before the deadline arrives', async () => {
    const { text } = await runToEnd(patient, shell('(sleep 0.1; echo late) & echo now'));
    expect(text).toBe('now\nlate\n');
  });

  test('a grandchild that never stops printing is cut off', async () => {
    const { ending } = await runToEnd(runner, shell('yes & exit 0'));
    expect(ending).toMatchObject({ kind: 'exited', exitCode: 0 });
  });
});
