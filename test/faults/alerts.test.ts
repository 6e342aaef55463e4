// A hub that is killed while it delivers alerts: decision 39, alerts.
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { Receiver } from '@svc/hub/alerts/fixtures/receiver';
import { configText } from '../config-text.ts';
import { HubProgram } from '../hub-program.ts';
import { hubWorld } from '../hub-world.ts';
import { MovableClock } from '../movable-clock.ts';
import { startSvc } from '../program.ts';
import { type TemporaryFolder, temporaryFolder } from '../temporary-folder.ts';

setDefaultTimeout(180_000);

const LOCAL = { SVC_ALERT_PRIVATE_NETWORKS: '127.0.0.0/8' };
const CLAIM_MS = 60_000;
const ROUNDS = 4;

let folder: TemporaryFolder;
let receiver: Receiver;
/** The callback URL of the calls themselves. */
let caller: Receiver;
let hub: HubProgram;
let agent: ReturnType<typeof startSvc>;

beforeEach(async () => {
  folder = await temporaryFolder();
  receiver = new Receiver();
  caller = new Receiver();
  const job = { name: 'job', command: 'false', callback_url: receiver.url };
  await Bun.write(join(folder.path, 'svc.yaml'), configText([job]));
  hub = await HubProgram.make(folder.path);
  agent = startSvc(['agent', '--json', '--state-dir', join(folder.path, 'state')], {
    cwd: folder.path,
    env: { SVC_TOKEN: hub.agentToken, SVC_BASE_URL: hub.url },
  });
});
afterEach(async () => {
  agent.kill('SIGKILL');
  await agent.exited;
  await hub[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await caller[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function begin(): Promise<string> {
  const accepted = await hub.ask('/v1/local/job', {
    headers: { prefer: 'respond-async', 'x-callback-url': caller.url },
  });
  return ((await accepted.json()) as { execution_id: string }).execution_id;
}

/** An alert of an execution may arrive before its start is known. */
async function beginUntilReported(): Promise<void> {
  const { length } = receiver.received;
  await begin();
  await receiver.until(length + 1);
}

/** An execution is begun, and brought to the points at which the hub is killed, one after the other. */
const POINTS: readonly (() => Promise<unknown>)[] = [
  // The command has begun, or is about to.
  begin,
  // Its end is on record, and with it the pending alerts.
  async () => await (await hub.ask(`/executions/${await begin()}/stream`)).text(),
  // The alert is sent, and has not been answered.
  async () => {
    const { promise: never } = Promise.withResolvers<Response>();
    receiver.answer = () => never;
    await beginUntilReported();
  },
  // It has arrived, and that may be on record or not.
  beginUntilReported,
];

interface Listed {
  readonly execution_id: string;
  readonly status: string;
}

test('a hub that is killed at any point delivers each end under one id, to the endpoint and to the call, and loses none', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    receiver.answer = () => new Response(null, { status: 204 });
    const log = await hub.start(LOCAL);
    await log.find(/agent connected/);
    const reached = POINTS[round % POINTS.length] ?? expect.unreachable();
    await reached();
    await hub.kill();
  }
  receiver.answer = () => new Response(null, { status: 204 });
  await using world = await hubWorld({
    env: { ...LOCAL, SVC_DATA_DIR: hub.dataDir, SVC_PORT: String(hub.port) },
    clock: new MovableClock(Date.now()),
  });
  // Deliveries that the last one had claimed are due when its claim has expired, by the clock of the hub that died.
  world.clock.move(CLAIM_MS);
  let deliveries = deliveriesOf(receiver);
  let ended: Listed[] = [];
  const isComplete = () =>
    ended.length >= ROUNDS &&
    ended.every(({ execution_id: id }) => deliveries.has(id) && deliveriesOf(caller).has(id));
  // Deliveries that were in flight when the hub died arrive twice.
  while (!isComplete() || receiver.received.length <= ended.length) {
    world.clock.move(1_000);
    const { items } = (await (await world.manage('/executions?limit=100')).json()) as { items: Listed[] };
    ended = items.filter(({ status }) => ['failed', 'lost', 'rejected'].includes(status));
    deliveries = deliveriesOf(receiver);
  }
  for (const { execution_id: id } of ended) expect([id, deliveries.get(id)?.size]).toEqual([id, 1]);
  expect(deliveries.size).toBe(ended.length);
  expect([...deliveriesOf(caller).values()].map((ids) => ids.size)).toEqual(ended.map(() => 1));
});

/** By execution, the ids under which its end was delivered. */
function deliveriesOf({ received }: Receiver): Map<string, Set<string | null>> {
  const deliveries = new Map<string, Set<string | null>>();
  for (const { headers, body } of received) {
    const { execution_id: id } = (JSON.parse(body) as { data: { execution_id: string } }).data;
    deliveries.set(id, (deliveries.get(id) ?? new Set()).add(headers.get('webhook-id')));
  }
  return deliveries;
}
