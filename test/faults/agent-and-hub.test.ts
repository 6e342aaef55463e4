// A real agent in a process of its own and a real hub: what neither may make of the other's failures.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TcpProxy } from '@svc/agent/link/fixtures/tcp-proxy';
import { configText } from '../config-text.ts';
import { untilExists } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { Lines } from '../lines.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

/** Prints more than a hub buffers, waits for its file, and prints on. */
const LOUD = 'echo run >> ran; seq 1 3000000; touch begun; while [ ! -e go ]; do sleep 0.02; done; echo over';
const QUIET = 'echo run >> ran; echo begun; touch begun; while [ ! -e go ]; do sleep 0.02; done; echo over';

let folder: TemporaryFolder;
let world: HubWorld;
let agents: ReturnType<typeof startSvc>[];
beforeEach(async () => {
  agents = [];
  folder = await temporaryFolder();
  world = await hubWorld();
  await Bun.write(
    path('svc.yaml'),
    configText([
      { name: 'loud', command: LOUD },
      { name: 'quiet', command: QUIET },
    ]),
  );
});
afterEach(async () => {
  for (const agent of agents) {
    agent.kill('SIGKILL');
    await agent.exited;
  }
  await world[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

const path = (name: string) => join(folder.path, name);

async function startAgent(baseUrl = world.hub.localUrl) {
  const agent = startSvc(['agent', '--json', '--state-dir', path('state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: world.start.agentToken, SVC_BASE_URL: baseUrl },
  });
  agents.push(agent);
  const stdout = new Lines(agent.stdout);
  await stdout.find(/"event":"connected"/);
  return { agent, stdout };
}

async function begin(slug: string): Promise<string> {
  const accepted = await world.call(slug, { headers: { prefer: 'respond-async' } });
  const { execution_id } = (await accepted.json()) as { execution_id: string };
  await untilExists(path('begun'));
  return execution_id;
}

interface StreamEvent {
  readonly type: string;
  readonly data?: string;
  readonly error?: string;
}

/** The events of the whole stream, from its beginning to its end. */
async function eventsOf(id: string): Promise<StreamEvent[]> {
  const response = await world.manage(`/executions/${id}/stream`);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as StreamEvent);
}

/** Settles when the hub streams this. */
async function streamed(id: string, text: string): Promise<void> {
  const { body } = await world.manage(`/executions/${id}/stream`);
  const decoder = new TextDecoder();
  let seen = '';
  for await (const bytes of body ?? []) {
    seen += decoder.decode(bytes, { stream: true });
    if (seen.includes(text)) return;
  }
  throw new Error(`the stream has no ${text}`);
}

const textsOf = (events: readonly StreamEvent[]) =>
  events.map(({ data, error, type }) => data ?? error ?? type);
const ranOnce = () => expect(readFileSync(path('ran'), 'utf8')).toBe('run\n');

test('an agent that is killed and restarted reports its execution as lost, with the stored output', async () => {
  const { agent } = await startAgent();
  const id = await begin('quiet');
  await streamed(id, 'begun');
  agent.kill('SIGKILL');
  await agent.exited;
  await startAgent();
  expect(textsOf(await eventsOf(id))).toEqual(['begun', 'the agent was stopped while the command ran']);
  ranOnce();
});

test('a restarted hub continues an execution of which it had dropped a part', async () => {
  const { stdout } = await startAgent();
  const id = await begin('loud');
  await streamed(id, '"3000000"');
  await world.restart();
  await stdout.find(/"event":"disconnected"/);
  await Bun.write(path('go'), '');
  expect(textsOf(await eventsOf(id)).slice(-3)).toEqual(['3000000', 'over', 'done']);
  const texts = textsOf(await eventsOf(id));
  const cut = texts.findIndex((text) => text.includes('cut here'));
  const next = Number(texts[cut + 1]);
  expect(texts.slice(0, 3)).toEqual(['1', '2', '3']);
  expect(texts.slice(-3)).toEqual(['3000000', 'over', 'done']);
  // Without a gap or a repetition on both sides of the one cut.
  expect(texts.slice(0, cut).every((text, index) => Number(text) === index + 1)).toBe(true);
  expect(texts.slice(cut + 1, -2).every((text, index) => Number(text) === next + index)).toBe(true);
  ranOnce();
});

test('a link that is cut while a command runs loses and doubles nothing', async () => {
  await using wire = await TcpProxy.to(world.hub.port);
  const { stdout } = await startAgent(wire.url.href);
  const id = await begin('quiet');
  wire.cut();
  await stdout.find(/"event":"disconnected"/);
  await Bun.write(path('go'), '');
  expect(textsOf(await eventsOf(id))).toEqual(['begun', 'over', 'done']);
  ranOnce();
});
