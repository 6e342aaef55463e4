import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import type { AgentFrameOf, ExecutionOrder, HubFrameOf } from '@svc/core/protocol/frame';
import { LINK_LIMITS } from '@svc/core/protocol/limits';
import { shell } from '../../runner/process/fixtures/launch.ts';
import { quickRunner } from '../../runner/process/fixtures/runner.ts';
import type { Runner } from '../../runner/runner.ts';
import { HubFiles, UploadFailed, type UploadSession } from '../artifacts/hub-files.ts';
import { OutputFolders } from '../artifacts/output-folders.ts';
import { ArtifactUploader } from '../artifacts/uploads.ts';
import { Changes } from '../fixtures/changes.ts';
import { readJournal } from '../fixtures/read-journal.ts';
import { AgentState } from '../instance/state.ts';
import { TIMERS } from '../timers.ts';
import { Space } from '../unsent/space.ts';
import { UnsentOutput } from '../unsent/unsent-output.ts';
import { AgentExecution } from './execution.ts';
import { AgentExecutions, type ExecutionsOptions } from './executions.ts';
import { type HubWire, Uplink } from './uplink.ts';

let folder: string;
let runner: Runner;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-executions-'));
  runner = quickRunner();
});
afterEach(async () => {
  await runner[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const WELCOME: HubFrameOf<'welcome'> = {
  type: 'welcome',
  protocol: 1,
  hub: 'h',
  revision: 1,
  registered: [],
  refused: [],
  warnings: [],
  resume: [],
  unknown: [],
};

/** The hub's end of the wire. It keeps every frame. */
class FakeHub extends Changes implements HubWire {
  readonly ends: AgentFrameOf<'ended'>[] = [];
  readonly output: Uint8Array[] = [];
  hasRoom = true;
  send(frame: AgentFrameOf<'ended' | 'input_want'>): void {
    if (frame.type === 'ended') this.ends.push(frame);
    this.changed();
  }
  sendOutput(message: Uint8Array): boolean {
    if (this.hasRoom) this.output.push(message);
    this.changed();
    return this.hasRoom;
  }
  ended(id: string) {
    return this.until(() => this.ends.find(({ execution_id }) => execution_id === id));
  }
}

/** Reports when a command has to wait. */
class WatchedUplink extends Uplink {
  readonly holds = new Changes();
  pauses = 0;
  override waitWhile(isHeld: () => boolean): Promise<void> {
    this.pauses += 1;
    this.holds.changed();
    return super.waitWhile(isHeld);
  }
}

function order(command: string): ExecutionOrder {
  return {
    type: 'run',
    execution_id: crypto.randomUUID(),
    endpoint: command,
    hash: '0'.repeat(64),
    args: {},
    secrets: {},
  };
}

/** Executions that run the name of the endpoint as their command, with a recorder of their events. */
function executing(different: Partial<ExecutionsOptions> = {}, space = new Space()) {
  const { journal } = AgentState.open(folder);
  const uplink = new WatchedUplink(space);
  const troubles: string[] = [];
  const hub = new FakeHub();
  const create = (id: string) => new AgentExecution(id, new UnsentOutput(join(folder, id), space), uplink);
  const executions = new AgentExecutions({
    runner,
    journal,
    uplink,
    create,
    left: [],
    prepare: ({ execution_id, endpoint }) => ({
      kind: 'launch',
      launch: shell(endpoint, { executionId: execution_id, cwd: folder, output: 'frames' }),
    }),
    onTrouble: (message) => troubles.push(message),
    ...different,
  });
  executions.connected(hub, WELCOME);
  return { executions, journal, hub, troubles, create, uplink };
}

const journalled = () => [...readJournal(join(folder, 'journal'))].map(([id, { kind }]) => [id, kind]);

describe('nothing runs', () => {
  test('when its id cannot be journaled', async () => {
    const { executions, journal, hub, troubles } = executing();
    journal.close();
    executions.run(order('touch ran'));
    expect(hub.ends[0]?.ending).toMatchObject({ kind: 'refused', reason: 'broken', code: 'unavailable' });
    await runner[Symbol.asyncDispose]();
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    expect(troubles[0]).toBe('"touch ran" could not be started');
  });

  test('when the agent has a bug, and the journal records no start', async () => {
    const bug = () => {
      throw new Error('a bug');
    };
    const { executions, hub, troubles } = executing({ prepare: bug });
    executions.run(order('true'));
    expect(hub.ends[0]?.ending).toMatchObject({
      reason: 'broken',
      message: expect.not.stringContaining('a bug'),
    });
    expect(troubles).toHaveLength(1);
    const broken = executing({ runner: { start: bug, [Symbol.asyncDispose]: async () => {} } });
    broken.executions.run(order('true'));
    expect(broken.hub.ends[0]?.ending).toMatchObject({ reason: 'broken' });
    expect(journalled()).toEqual([]);
  });

  test('when the agent is leaving; running commands continue', async () => {
    const { executions, hub } = executing();
    const running = order('echo begun; while [ ! -e go ]; do sleep 0.01; done');
    executions.run(running);
    await hub.until(() => hub.output[0]);
    executions.leave();
    executions.run(order('touch ran'));
    expect(hub.ends[0]?.ending).toMatchObject({ kind: 'refused', reason: 'leaving' });
    expect(executions.running).toBe(1);
    await Bun.write(join(folder, 'go'), '');
    expect((await hub.ended(running.execution_id)).ending).toMatchObject({ kind: 'exited', exit_code: 0 });
    await executions.idle();
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });

  test('when the agent has as many in flight as a hello can list', () => {
    const { create } = executing();
    const left = Array.from({ length: LINK_LIMITS.inFlight }, () => create(crypto.randomUUID()));
    const { executions, hub } = executing({ left });
    executions.run(order('touch ran'));
    expect(hub.ends[0]?.ending).toMatchObject({ kind: 'refused', reason: 'busy' });
    expect(executions.inFlight).toHaveLength(LINK_LIMITS.inFlight);
  });
});

describe('the journal', () => {
  test('has the id before the command starts, and the ending before the hub gets it', async () => {
    const seen: unknown[] = [];
    const watched: Runner = {
      start(launch, sink) {
        seen.push(journalled());
        return runner.start(launch, sink);
      },
      [Symbol.asyncDispose]: async () => {},
    };
    const { executions, hub } = executing({ runner: watched });
    const it = order('true');
    const send = hub.send.bind(hub);
    hub.send = (frame) => {
      seen.push(journalled());
      send(frame);
    };
    executions.run(it);
    await hub.ended(it.execution_id);
    expect(seen).toEqual([[[it.execution_id, 'started']], [[it.execution_id, 'ended']]]);
    executions.acknowledgeEnd(it.execution_id);
    expect(journalled()).toEqual([]);
  });

  test('keeps an execution that the hub does not know until its command has ended, and reports nothing', async () => {
    const { executions, hub } = executing();
    const it = order("trap 'echo last; exit' TERM; echo begun; while true; do sleep 0.01; done");
    executions.run(it);
    await hub.until(() => hub.output[0]);
    executions.disconnected();
    executions.connected(hub, { ...WELCOME, unknown: [it.execution_id] });
    expect(journalled()).toEqual([[it.execution_id, 'started']]);
    expect(executions.inFlight).toEqual([]);
    await executions.idle();
    expect(journalled()).toEqual([]);
    expect({ ends: hub.ends, messages: hub.output.length }).toEqual({ ends: [], messages: 1 });
    executions.run(it);
    expect(executions.running).toBe(0);
  });
});

describe('a command waits', () => {
  const LOUD = 'yes 0123456789012345678901234567890123456789 | head -c 40000000; echo over >> over';

  /** Everything sent, while the hub accepts it. */
  const sentBytes = ({ output }: FakeHub) => output.reduce((sum, { length }) => sum + length, 0);

  test('while the hub acknowledges no output, and continues when it does', async () => {
    const { executions, hub, uplink } = executing();
    const it = order(LOUD);
    executions.run(it);
    let seq = 0;
    for (const pauses of [1, 2, 3]) {
      await uplink.holds.until(() => uplink.pauses === pauses);
      expect(sentBytes(hub)).toBeLessThan(LINK_LIMITS.windowBytes * 1.1);
      expect(existsSync(join(folder, 'over'))).toBe(false);
      seq += hub.output.length;
      hub.output.length = 0;
      executions.acknowledge(it.execution_id, seq);
    }
    await acknowledgeAll(executions, hub, it, seq);
    expect(hub.ends[0]?.ending).toMatchObject({ kind: 'exited' });
  });

  test('not while there is no hub: output goes to disk, and to the hub after the reconnect', async () => {
    const { executions, hub } = executing();
    const it = order(LOUD);
    executions.run(it);
    await hub.until(() => hub.output.length > 0);
    executions.disconnected();
    await executions.idle();
    expect(existsSync(join(folder, 'over'))).toBe(true);
    expect(existsSync(join(folder, it.execution_id))).toBe(true);
    hub.output.length = 0;
    executions.connected(hub, { ...WELCOME, resume: [{ execution_id: it.execution_id, stored_seq: 0 }] });
    for (let seq = 0; hub.ends.length === 0; ) {
      expect(sentBytes(hub)).toBeLessThan(LINK_LIMITS.windowBytes * 1.1);
      seq += hub.output.length;
      hub.output.length = 0;
      executions.acknowledge(it.execution_id, seq);
    }
    executions.acknowledgeEnd(it.execution_id);
    expect(existsSync(join(folder, it.execution_id))).toBe(false);
  });

  test('and its output is damaged on disk: the hub gets no wrong byte, and the execution is lost', async () => {
    const { executions, hub } = executing({}, new Space({ memoryBytes: 0 }));
    executions.disconnected();
    const it = order('seq 1 5; exit 0');
    executions.run(it);
    await executions.idle();
    const file = join(folder, it.execution_id, '0');
    const bytes = readFileSync(file);
    bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, bytes.length - 1);
    writeFileSync(file, bytes);
    executions.connected(hub, { ...WELCOME, resume: [{ execution_id: it.execution_id, stored_seq: 0 }] });
    const { last_seq, ending } = await hub.ended(it.execution_id);
    expect(ending).toEqual({ kind: 'lost', message: expect.stringContaining('damaged on the disk') });
    expect(hub.output).toHaveLength(last_seq);
  });

  test('while neither memory nor disk has room, also without a hub', async () => {
    const { executions, hub, uplink } = executing({}, new Space({ memoryBytes: 0, diskBytes: 1_000_000 }));
    executions.disconnected();
    const it = order(LOUD);
    executions.run(it);
    await uplink.holds.until(() => uplink.pauses === 1);
    expect(existsSync(join(folder, 'over'))).toBe(false);
    executions.connected(hub, WELCOME);
    await acknowledgeAll(executions, hub, it);
    expect(existsSync(join(folder, 'over'))).toBe(true);
  });

  /** A hub that stores everything at once. */
  async function acknowledgeAll(
    executions: AgentExecutions,
    hub: FakeHub,
    it: ExecutionOrder,
    seq = 0,
  ): Promise<void> {
    let stored = seq;
    while (hub.ends.length === 0) {
      await hub.until(() => hub.output.length > 0 || hub.ends.length > 0);
      stored += hub.output.length;
      hub.output.length = 0;
      executions.acknowledge(it.execution_id, stored);
    }
  }
});

test('a cancel during an upload sends the end', async () => {
  const announced = Promise.withResolvers<void>();
  class Silent extends HubFiles {
    #asked = 0;
    override async announce({ cancelled }: UploadSession) {
      this.#asked += 1;
      if (this.#asked > 1) return { uploads: [] };
      const { promise, reject } = Promise.withResolvers<never>();
      cancelled.addEventListener('abort', () => reject(cancelled.reason));
      announced.resolve();
      return await promise;
    }
  }
  const files = new Silent({
    baseUrl: new URL('http://127.0.0.1:1'),
    token: 'x',
    environment: {},
    timers: TIMERS,
    random: () => 0,
    stop: new AbortController().signal,
  });
  const removed = Promise.withResolvers<void>();
  class Folders extends OutputFolders {
    override async remove(executionId: string) {
      await super.remove(executionId);
      removed.resolve();
    }
  }
  const { executions, hub, troubles } = executing({
    artifacts: new ArtifactUploader(new Folders(join(folder, 'left')), files),
    prepare: ({ execution_id, endpoint }) => ({
      kind: 'launch',
      launch: shell(endpoint, { executionId: execution_id, cwd: folder, output: 'frames' }),
      artifacts: ['*'],
    }),
  });
  const leaves = order('echo a > "$SVC_OUTPUT_DIR/a"');
  executions.run(leaves);
  await announced.promise;
  expect(hub.ends).toEqual([]);
  executions.cancel(leaves.execution_id);
  expect((await hub.ended(leaves.execution_id)).ending).toMatchObject({ kind: 'exited' });
  await removed.promise;
  expect(troubles).toEqual([]);
});

test('an end says that not even the list of files was sent, also to the next process', async () => {
  class Refusing extends HubFiles {
    override announce(): Promise<never> {
      return Promise.reject(new UploadFailed(`the hub answered 503: ${'no room '.repeat(50)}`));
    }
  }
  const files = new Refusing({
    ...{ baseUrl: new URL('http://127.0.0.1:1'), token: 'x', environment: {}, timers: TIMERS },
    ...{ random: () => 0, stop: new AbortController().signal },
  });
  const { executions, hub, troubles } = executing({
    artifacts: new ArtifactUploader(new OutputFolders(join(folder, 'left')), files),
    prepare: ({ execution_id, endpoint }) => ({
      kind: 'launch',
      launch: shell(endpoint, { executionId: execution_id, cwd: folder, output: 'frames' }),
      artifacts: ['*'],
    }),
  });
  const leaves = order('echo a > "$SVC_OUTPUT_DIR/a"');
  executions.run(leaves);
  const end = await hub.ended(leaves.execution_id);
  expect(end.ending).toMatchObject({ kind: 'exited' });
  expect(end.artifacts_unsent?.length).toBe(ARTIFACT_LIMITS.reasonChars);
  expect(end.artifacts_unsent).toStartWith('it could not be sent: the hub answered 503: no room');
  expect(readJournal(join(folder, 'journal')).get(leaves.execution_id)).toMatchObject({
    frame: { artifacts_unsent: end.artifacts_unsent },
  });
  expect(troubles.length).toBe(1);
});

test('output that the network refused is sent when the network has room', async () => {
  const { executions, hub } = executing();
  hub.hasRoom = false;
  const it = order('echo out');
  executions.run(it);
  await executions.idle();
  expect({ output: hub.output, ends: hub.ends }).toEqual({ output: [], ends: [] });
  hub.hasRoom = true;
  executions.drained();
  expect(hub.output).toHaveLength(1);
  expect(hub.ends).toHaveLength(1);
});
