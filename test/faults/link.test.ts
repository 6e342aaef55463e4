// A link that is cut, that swallows everything, and that says everything three times: decisions 24, 29 and 30. The agent is a
// real process; the clock of the hub is moved.
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TcpProxy } from '@svc/agent/link/fixtures/tcp-proxy';
import { journaled } from '../agent-journal.ts';
import { configText } from '../config-text.ts';
import { FrameRelay } from '../frame-relay.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

/** Two pings that are missed take half a minute where nothing else is to be done. */
setDefaultTimeout(300_000);

const COMMAND = `
  echo "$SVC_EXECUTION_ID" >> ran
  echo one
  while [ ! -e go ]; do sleep 0.01; done
  echo two
`;
const WHOLE = { output: 'one\ntwo\n', exit_code: 0 };

let folder: TemporaryFolder;
let world: HubWorld;
let agent: ReturnType<typeof startSvc>;
beforeEach(async () => {
  folder = await temporaryFolder();
  // Longer than any cut: the command waits for its end, and callers for their answer.
  await Bun.write(path('svc.yaml'), configText([{ name: 'job', command: COMMAND, timeout: 300 }]));
  world = await hubWorld({ env: { SVC_FORWARD_CAP_S: '3600' } });
});
afterEach(async () => {
  agent.kill('SIGKILL');
  await agent.exited;
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const path = (name: string) => join(folder.path, name);
const openLatch = () => writeFileSync(path('go'), '');
const ran = () => readFileSync(path('ran'), 'utf8').trim().split('\n');

async function startAgent(baseUrl: string): Promise<Lines> {
  agent = startSvc(['agent', '--json', '--state-dir', path('state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: world.start.agentToken, SVC_BASE_URL: baseUrl },
  });
  const stdout = new Lines(agent.stdout);
  await stdout.find(/"event":"connected"/);
  return stdout;
}

async function badge(): Promise<string> {
  const response = await fetch(`${world.hub.hubUrl}/${world.start.username}/badge.svg`);
  return /offline|online/.exec(await response.text())?.[0] ?? '';
}

/** Polls: the hub's background work shows in nothing but its answers. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function expectOffline(): Promise<void> {
  await until(async () => (await badge()) === 'offline');
  const refused = await world.call('job');
  expect([refused.status, await refused.json()]).toEqual([
    502,
    expect.objectContaining({ code: 'agent_offline' }),
  ]);
}

describe.each([5, 60])('a link that is cut for %d s', (seconds) => {
  test.each(['ends meanwhile', 'runs on'])('loses and doubles nothing of a command that %s', async (what) => {
    await using relay = new FrameRelay(world.hub.hubUrl);
    await startAgent(relay.url);
    const acknowledged = relay.passing(({ frame }) => 'type' in frame && frame.type === 'ack');
    const called = world.call('job');
    await acknowledged;
    relay.cut();
    await expectOffline();
    if (what === 'ends meanwhile') {
      openLatch();
      await journaled(path('state'), '"ended"');
    }
    world.clock.move(seconds * 1000);
    if (process.env.SVC_TEST_LONG) await Bun.sleep(seconds * 1000);
    relay.resume();
    await until(async () => (await badge()) === 'online');
    openLatch();
    const response = await called;
    expect([response.status, await response.json()]).toMatchObject([200, WHOLE]);
    expect(ran()).toEqual([response.headers.get('x-execution-id') ?? '']);
  });
});

test('a link that drops everything is noticed on both sides, though calls continue, and nothing is lost', async () => {
  await using wire = await TcpProxy.to(world.hub.port);
  const stdout = await startAgent(wire.url.origin);
  const called = world.call('job');
  await until(async () => (await Bun.file(path('ran')).exists()) && ran().length === 1);
  wire.fallSilent();
  openLatch();
  // Neither side sees an event: new connections get nowhere either. Sent frames are no sign of life.
  const ids: string[] = [];
  const callOn = async () => {
    const response = await world.call('job', { headers: { prefer: 'respond-async' } });
    if (response.status === 202) ids.push(response.headers.get('x-execution-id') ?? '');
    return response.status === 502;
  };
  const [line] = await Promise.all([stdout.find(/"event":"disconnected"/), until(callOn)]);
  expect(line).toContain('no answer to pings');
  wire.speak();
  wire.cut();
  const response = await called;
  expect([response.status, await response.json()]).toMatchObject([200, WHOLE]);
  const done: string[] = [];
  for (const id of ids) {
    const received = await (await world.manage(`/executions/${id}/stream`)).text();
    if (received.includes('"type":"done"')) done.push(id);
    // Accepted in the moment in which the connection was closed: it was never sent, is reported so, and has not run.
    else expect(received).toMatch(/the agent went offline before it received the execution/);
  }
  expect(done.length).toBeGreaterThanOrEqual(ids.length - 1);
  expect(ran().sort()).toEqual([response.headers.get('x-execution-id') ?? '', ...done].sort());
});

test('a link that delivers everything three times runs each execution once, and stores its output once', async () => {
  await using relay = new FrameRelay(world.hub.hubUrl);
  await startAgent(relay.url);
  relay.copies = 3;
  openLatch();
  const responses = await Promise.all(Array.from({ length: 20 }, () => world.call('job')));
  for (const response of responses)
    expect([response.status, await response.json()]).toMatchObject([200, WHOLE]);
  const ids = responses.map((response) => response.headers.get('x-execution-id') ?? '');
  expect(ran().sort()).toEqual(ids.sort());
});
