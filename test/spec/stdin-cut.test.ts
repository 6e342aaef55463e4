// A caller that leaves while the command reads nothing: decision 73, the body as standard input.
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointYaml } from '../config-text.ts';
import { untilExists, untilPoll } from '../files.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { type RealAgent, realAgent } from '../real-agent.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';
import { serveWorld, type World } from '../world.ts';

setDefaultTimeout(60_000);

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder[Symbol.asyncDispose]());

const path = (name: string) => join(folder.path, name);

/** It reads nothing, and would end by itself only in an hour. */
const deaf = (): EndpointYaml => ({
  name: 'deaf',
  stdin: 'body',
  timeout: 3600,
  command: `trap 'touch ${path('ended')}; exit 1' TERM; touch ${path('begun')}; while :; do sleep 0.05; done`,
});

/** What a process has read so far. */
const readBytes = (pid: number) => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);

/** Nothing on the way to the command takes more: the process has read the same for so many looks. */
async function untilStuck(pid: number): Promise<void> {
  let [last, looks] = [-1, 0];
  await untilPoll(() => {
    const now = readBytes(pid);
    looks = now === last ? looks + 1 : 0;
    last = now;
    return looks === 30;
  });
}

/** More than the pipe of a command holds, and less than what the agent and the hub take. */
const SOME = new Uint8Array(1_600_000);

interface Way {
  readonly name: string;
  readonly body: 'endless' | 'begun';
  readonly accept: string;
}

const WAYS: readonly Way[] = [
  // Nothing reads its connection any more. The hub learns that it has left when it writes to it.
  { name: 'that cannot send more', body: 'endless', accept: 'text/event-stream' },
  { name: 'that is still read', body: 'begun', accept: 'application/json' },
];

/** Calls the endpoint with a body that does not end, and is killed when nothing takes more of it. */
async function callAndLeave(url: string, { body, accept }: Way, apiKey = ''): Promise<void> {
  const headers = ['Expect:', `accept: ${accept}`, `x-api-key: ${apiKey}`].flatMap((one) => ['-H', one]);
  const caller = Bun.spawn(['curl', '-sS', '-N', '-X', 'POST', '-T', '-', ...headers, url], {
    stdin: body === 'endless' ? Bun.file('/dev/zero') : 'pipe',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  if (typeof caller.stdin === 'object') {
    await caller.stdin.write(SOME);
    await caller.stdin.flush();
  }
  await untilExists(path('begun'));
  await untilStuck(caller.pid);
  expect(existsSync(path('ended'))).toBe(false);
  caller.kill('SIGKILL');
  await caller.exited;
}

beforeEach(() => {
  for (const name of ['begun', 'ended']) rmSync(path(name), { force: true });
});

describe('on svc serve', () => {
  let world: World;
  beforeAll(async () => {
    world = await serveWorld([deaf()]);
  });
  afterAll(() => world[Symbol.asyncDispose]());

  test.each(WAYS)('the command of a caller $name is ended when that leaves', async (way) => {
    await callAndLeave(`${world.url}/deaf`, way);
    await untilExists(path('ended'));
  });
});

describe('on a hub', () => {
  let world: HubWorld;
  let agent: RealAgent;
  beforeAll(async () => {
    world = await hubWorld();
    agent = await realAgent(world, [deaf()]);
  });
  afterAll(async () => {
    await agent[Symbol.asyncDispose]();
    await world[Symbol.asyncDispose]();
  });

  test.each(WAYS)(
    'the command of a caller $name is ended when that leaves, and the record says why',
    async (way) => {
      await callAndLeave(world.urlOf('deaf'), way, world.start.apiKey);
      await untilExists(path('ended'));
      const last = async () => {
        const listed = await world.manage('/executions?limit=1');
        const { items } = (await listed.json()) as { items: { execution_id: string; status: string }[] };
        return items[0];
      };
      await untilPoll(async () => (await last())?.status !== 'running');
      const shown = await world.manage(`/executions/${(await last())?.execution_id}`);
      expect(await shown.json()).toMatchObject({
        status: 'cancelled',
        code: 'cancelled',
        error: expect.stringMatching(/^the input was cut off: its caller left after \d+ bytes of the body$/),
      });
    },
  );
});
