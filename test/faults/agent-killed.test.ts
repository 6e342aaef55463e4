// An agent that is killed at every point of an execution, with real processes: decision 24, states and takeover.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { journaled } from '../agent-journal.ts';
import { AgentProgram } from '../agent-program.ts';

setDefaultTimeout(60_000);

/** Each run leaves a line; a file lets it end. */
const JOB = {
  name: 'job',
  command: 'echo $$ >> ran-$SVC_EXECUTION_ID; echo begun; while [ ! -e go ]; do sleep 0.01; done; echo over',
};
/** More than the journal has a line for. */
const LOUD = { name: 'loud', command: 'echo $$ >> ran-$SVC_EXECUTION_ID; cat text' };
const TEXT = Array.from({ length: 60_000 }, (_, n) => `line ${n}\n`).join('');

let program: AgentProgram;
beforeEach(async () => {
  program = await AgentProgram.make([JOB, LOUD]);
  await Bun.write(program.path('text'), TEXT);
});
afterEach(() => program[Symbol.asyncDispose]());

/** The processes that ran it, one for each time that it was started. */
function ranAs(id: string): number[] {
  const path = program.path(`ran-${id}`);
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
}

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

const inFlight = () => program.hub.hellos.at(-1)?.in_flight;

describe('an agent that is killed', () => {
  test('before an order arrives has nothing of it, so that it may be given again', async () => {
    const agent = await program.connect();
    await agent.kill();
    const id = program.hub.run('job');
    await program.connect();
    expect(inFlight()).toEqual([]);
    await Bun.write(program.path('go'), '');
    program.hub.run('job', { execution_id: id });
    expect((await program.hub.ended(id)).output).toBe('begun\nover\n');
    expect(ranAs(id)).toHaveLength(1);
  });

  test('as soon as the order is in its journal reports it lost, and it never runs again', async () => {
    const agent = await program.connect();
    const id = Bun.randomUUIDv7();
    const started = journaled(program.path('state'), `"started":"${id}"`);
    program.hub.run('job', { execution_id: id });
    await started;
    await agent.kill();
    await program.connect();
    expect(inFlight()).toEqual([{ execution_id: id, last_seq: 0, ended: true }]);
    expect((await program.hub.ended(id)).ending).toMatchObject({ kind: 'lost' });
    expect(ranAs(id).length).toBeLessThanOrEqual(1);
    expect(ranAs(id).filter(isAlive)).toEqual([]);
  });

  test('while the command runs ends it at the next start, and reports it lost', async () => {
    const agent = await program.connect();
    const id = program.hub.run('job');
    await program.hub.until(() => program.hub.record(id).output === 'begun\n');
    await agent.kill();
    expect(ranAs(id).filter(isAlive)).toHaveLength(1);
    await program.connect();
    const record = await program.hub.ended(id);
    expect(record.ending).toEqual({ kind: 'lost', message: 'the agent was stopped while the command ran' });
    expect(record.output).toBe('begun\n');
    expect(ranAs(id).filter(isAlive)).toEqual([]);
    program.hub.run('job', { execution_id: id });
    await Bun.write(program.path('go'), '');
    await program.hub.ended(program.hub.run('job'));
    expect(ranAs(id)).toHaveLength(1);
    expect(program.hub.violations).toEqual([]);
  });

  test.each([
    ['short', 'job', 'begun\nover\n'],
    ['long', 'loud', TEXT],
  ])(
    'before its end is acknowledged sends the end again, with all its %s output',
    async (_, endpoint, output) => {
      await Bun.write(program.path('go'), '');
      const { hub } = program;
      hub.acknowledges = hub.acknowledgesEnds = false;
      const agent = await program.connect();
      const id = hub.run(endpoint);
      const { ending } = await hub.ended(id);
      await agent.kill();
      // The hub has acknowledged nothing, so it may have lost everything.
      hub.records.clear();
      hub.record(id);
      hub.acknowledges = hub.acknowledgesEnds = true;
      const again = await program.connect();
      expect(inFlight()).toMatchObject([{ execution_id: id, ended: true }]);
      const record = await hub.ended(id);
      expect(record.ending).toEqual(ending);
      expect(record.output).toBe(output);
      expect(ranAs(id)).toHaveLength(1);
      // Once the hub has it, the journal has removed it.
      await hub.ended(hub.run('job'));
      await again.kill();
      await program.connect();
      expect(inFlight()?.map(({ execution_id }) => execution_id)).not.toContain(id);
      expect(hub.violations).toEqual([]);
    },
  );

  test('between the acknowledgements of its output and of its end sends only the end again', async () => {
    const { hub } = program;
    hub.acknowledgesEnds = false;
    const agent = await program.connect();
    const id = hub.run('loud');
    await hub.ended(id);
    await agent.kill();
    await program.connect();
    await hub.until(() => hub.record(id).ends.length === 2);
    expect(hub.record(id).output).toBe(TEXT);
    expect(hub.record(id).repeated).toBe(0);
    expect(hub.violations).toEqual([]);
  });

  test('at any moment: every order has one end, ran at most once, and nothing of it is left', async () => {
    const { hub } = program;
    await Bun.write(program.path('go'), '');
    const ids: string[] = [];
    let frames = 0;
    hub.intercept = () => {
      frames += 1;
      return false;
    };
    // Four executions send at least eight frames: output and end.
    for (const killAfter of [0, 1, 2, 4, 6, 8]) {
      const agent = await program.connect();
      frames = 0;
      ids.push(...['job', 'loud', 'job', 'loud'].map((endpoint) => hub.run(endpoint)));
      await hub.until(() => frames >= killAfter);
      await agent.kill();
    }
    await program.connect();
    const known = new Set(inFlight()?.map(({ execution_id }) => execution_id));
    // Output that never arrived may be sent again.
    for (const id of ids)
      if (hub.record(id).ending === undefined && !known.has(id)) hub.run('job', { execution_id: id });
    for (const id of ids) {
      const record = await hub.ended(id);
      const runs = ranAs(id);
      expect(runs.length).toBeLessThanOrEqual(1);
      expect(runs.filter(isAlive)).toEqual([]);
      expect(new Set(record.ends.map(({ ending }) => ending.kind)).size).toBe(1);
      if (record.ending?.kind === 'exited') expect(['begun\nover\n', TEXT]).toContain(record.output);
      else expect(record.ending?.kind).toBe('lost');
    }
    expect(hub.violations).toEqual([]);
  });
});
