import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentWorld } from '@svc/agent/link/fixtures/agent-world';
import { ApprovalKey } from '@svc/cli/approvals/approval-key';
import type { SignedApproval } from '@svc/core/approval/signed-approval';
import type { AgentFrameOf } from '@svc/core/protocol/frame';
import { temporaryFolder } from '../temporary-folder.ts';
import { HostileHub, nonsense } from './hostile-hub.ts';
import { type HostileOrder, KINDS } from './hostile-orders.ts';

setDefaultTimeout(120_000);

/** A line for each run: what ran, with which values and variables. */
const NOTE = `#!/bin/sh
printf '%s|%s|%s|%s|%s|%s\\n' "$SVC_EXECUTION_ID" "$SVC_ENDPOINT" "$PWD" "$MODE" "$#" "$(printf '%s' "$*" | tr '\\n' ' ')" >> ran
env > "env-$SVC_EXECUTION_ID"
`;
const ORDERS = 5_000;

let hub: HostileHub;
let world: AgentWorld;
let key: ApprovalKey;
let keys: Awaited<ReturnType<typeof temporaryFolder>>;

beforeEach(async () => {
  keys = await temporaryFolder();
  key = ApprovalKey.readOrMake({ XDG_CONFIG_HOME: keys.path });
  hub = new HostileHub();
  world = await AgentWorld.make([
    {
      name: 'plain',
      command: './note.sh {{who}} {{n}}',
      args: [
        { name: 'who', required: true, pattern: '[a-z]{1,8}' },
        { name: 'n', type: 'integer' },
      ],
      env: { MODE: 'safe' },
      accepts_env: ['COLOUR'],
      timeout: 5,
    },
    {
      name: 'signed',
      command: './note.sh {{to}}',
      args: [{ name: 'to', choices: ['eu', 'us'], required: true }],
      approval_required: true,
      approver_keys: [key.publicKey],
    },
    { name: 'gated', command: './note.sh', approval_required: true },
    { name: 'contained', command: './note.sh', agent_name: 'hosted' },
    { name: 'elsewhere', command: './note.sh', agent_name: 'other' },
    { name: 'secretive', command: './note.sh $svc:TOKEN' },
  ]);
  await Bun.write(join(world.folder, 'note.sh'), NOTE);
  chmodSync(join(world.folder, 'note.sh'), 0o755);
  await world.connect(hub.url, { localOnly: true });
  await hub.greeted();
});
afterEach(async () => {
  await world[Symbol.asyncDispose]();
  await hub[Symbol.asyncDispose]();
  await keys[Symbol.asyncDispose]();
});

interface Ran {
  readonly id: string;
  readonly slug: string;
  readonly cwd: string;
  readonly mode: string;
  readonly count: string;
  readonly words: string;
}

function ran(): Ran[] {
  const path = join(world.folder, 'ran');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => {
    const [id = '', slug = '', cwd = '', mode = '', count = '', ...words] = line.split('|');
    return { id, slug, cwd, mode, count, words: words.join('|') };
  });
}

function environmentOf(id: string): Map<string, string> {
  const text = readFileSync(join(world.folder, `env-${id}`), 'utf8');
  return new Map(
    text.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** The file's decision about an order, in the words of this test: the agent has others. */
function mayRun({ order }: HostileOrder): boolean {
  const { endpoint, hash, definition, hosted, args, env = {}, secrets } = order;
  const own = hub.announced.find(({ name }) => name === endpoint);
  if (own === undefined || own.hash !== hash || definition !== undefined || hosted !== undefined)
    return false;
  const names = Object.keys(args);
  if (endpoint === 'secretive') {
    const token = Object.hasOwn(secrets, 'TOKEN') ? String(secrets.TOKEN) : '-';
    const isSet = !token.startsWith('-') && !token.includes('\0');
    return isSet && names.length === 0 && Object.keys(env).length === 0;
  }
  if (endpoint !== 'plain') return false;
  if (Object.keys(env).some((name) => name !== 'COLOUR')) return false;
  if (names.some((name) => name !== 'who' && name !== 'n')) return false;
  return /^[a-z]{1,8}$/.test(args.who ?? '') && (args.n === undefined || /^(?:0|[1-9][0-9]*)$/.test(args.n));
}

function refusal(id: string): AgentFrameOf<'ended'>['ending'] | undefined {
  return hub.record(id).ending;
}

describe('a hub that is hostile and has all keys of a hub', () => {
  test(`sends ${ORDERS} orders, of which nothing runs that the file does not hold`, async () => {
    const sent = await hub.attack(ORDERS, 20_261_122);
    expect(new Set(sent.flatMap(({ kinds }) => kinds)).size).toBe(KINDS.length);
    const allowed = new Map(sent.filter(mayRun).map(({ order }) => [order.execution_id, order]));
    const runs = ran();
    expect(new Set(runs.map(({ id }) => id))).toEqual(new Set(allowed.keys()));
    expect(runs.length).toBe(allowed.size);
    expect(allowed.size).toBeGreaterThan(100);
    for (const { id, slug, cwd, mode, count, words } of runs) {
      const order = allowed.get(id);
      const values = slug === 'plain' ? [order?.args.who, order?.args.n] : [order?.secrets.TOKEN];
      const given = values.filter((value) => value !== undefined);
      expect([slug, cwd, mode]).toEqual([
        order?.endpoint ?? '',
        world.folder,
        slug === 'plain' ? 'safe' : '',
      ]);
      expect([count, words]).toEqual([`${given.length}`, given.join(' ').replaceAll('\n', ' ')]);
      const environment = environmentOf(id);
      for (const name of ['PATH', 'HOME', 'LD_PRELOAD', 'BASH_ENV', 'NODE_OPTIONS', 'SHELLOPTS'])
        expect([name, environment.get(name)]).toEqual([name, process.env[name]]);
    }
    for (const { order } of sent.filter((one) => !mayRun(one)))
      expect(refusal(order.execution_id)).toMatchObject({
        kind: expect.stringMatching(/^(?:refused|not_started)$/),
      });
    expect(existsSync(join(world.folder, 'pwned'))).toBe(false);
    expect(world.eventsOf('trouble')).toEqual([]);
  });

  test('sends what is no frame, and nothing runs', async () => {
    const hash = hub.announced.find(({ name }) => name === 'plain')?.hash ?? '';
    const order = {
      type: 'run',
      execution_id: Bun.randomUUIDv7(),
      endpoint: 'plain',
      hash,
      args: { who: 'ada' },
      secrets: {},
    } as const;
    for (const text of nonsense(order)) await hub.confuse(text);
    expect([ran(), existsSync(join(world.folder, 'pwned'))]).toEqual([[], false]);
    expect((await hub.ended(hub.run('plain', { args: { who: 'ada' } }))).ending).toMatchObject({
      kind: 'exited',
    });
  });

  test('cannot cut a command short with a NUL in a secret', async () => {
    const id = hub.run('secretive', { secrets: { TOKEN: 'a\0b' } });
    expect((await hub.ended(id)).ending).toMatchObject({ kind: 'not_started' });
    expect(ran()).toEqual([]);
  });

  test('cannot give a command more time than the file does, nor end what it does not know', async () => {
    await world.write([{ name: 'slow', command: 'sleep 600', timeout: 1 }]);
    await world.until(() => world.eventsOf('registered')[0]);
    const id = hub.run('slow', { timeout: 86_400 });
    hub.send({ type: 'cancel', execution_id: Bun.randomUUIDv7() });
    hub.send({ type: 'ended_ack', execution_id: id });
    expect((await hub.ended(id)).ending).toMatchObject({ kind: 'timed_out' });
  });

  test('cannot run more of an endpoint at a time than the file says', async () => {
    await world.write([
      { name: 'one', command: 'while [ ! -e go ]; do sleep 0.01; done', max_concurrent: 1 },
    ]);
    await world.until(() => world.eventsOf('registered')[0]);
    const first = hub.run('one');
    expect((await hub.ended(hub.run('one'))).ending).toMatchObject({ kind: 'refused', reason: 'local_only' });
    await Bun.write(join(world.folder, 'go'), '');
    expect((await hub.ended(first)).ending).toMatchObject({ kind: 'exited' });
    expect((await hub.ended(hub.run('one'))).ending).toMatchObject({ kind: 'exited' });
  });
});

test('an endpoint of the hosted runner does not run outside of a container, even without --local-only', async () => {
  await world.agent?.stopNow();
  await world.connect(hub.url, { localOnly: false });
  await hub.greeted(2);
  expect((await hub.ended(hub.run('contained'))).ending).toMatchObject({ kind: 'refused' });
  expect((await hub.ended(hub.run('elsewhere'))).ending).toMatchObject({ kind: 'exited' });
});

describe('an approval', () => {
  const VALID_MS = 60_000;

  function approved(executionId: string, different: Partial<Parameters<ApprovalKey['sign']>[0]> = {}) {
    return key.sign({
      executionId,
      slug: 'signed',
      definitionHash: hub.announced.find(({ name }) => name === 'signed')?.hash ?? '',
      args: { to: 'eu' },
      agent: 'default',
      requestedBy: 'ada@example.org',
      validUntilMs: Date.now() + VALID_MS,
      ...different,
    });
  }

  async function outcome(approval: SignedApproval | undefined, id = Bun.randomUUIDv7(), args = { to: 'eu' }) {
    const order = { execution_id: id, args, ...(approval === undefined ? {} : { approval }) };
    return (await hub.ended(hub.run('signed', order))).ending;
  }

  test('that an approver signed runs its command', async () => {
    const id = Bun.randomUUIDv7();
    expect(await outcome(approved(id), id)).toMatchObject({ kind: 'exited', exit_code: 0 });
    expect(ran()).toMatchObject([{ id, slug: 'signed', words: 'eu' }]);
  });

  const refused: Readonly<Record<string, (id: string) => SignedApproval | undefined>> = {
    'that is missing': () => undefined,
    'of another execution': () => approved(Bun.randomUUIDv7()),
    'of other values': (id) => approved(id, { args: { to: 'us' } }),
    'of another endpoint': (id) => approved(id, { slug: 'plain' }),
    'of another definition': (id) => approved(id, { definitionHash: 'a'.repeat(64) }),
    'for another agent': (id) => approved(id, { agent: 'other' }),
    'that has expired': (id) => approved(id, { validUntilMs: Date.now() - 1 }),
    'that is valid for years': (id) => approved(id, { validUntilMs: Date.now() + 10 * 365 * 86_400_000 }),
    'with a longer time than was signed': (id) => ({
      ...approved(id),
      valid_until_ms: Date.now() + 2 * VALID_MS,
    }),
    'with another caller than was signed': (id) => ({ ...approved(id), requested_by: 'eve@example.org' }),
    'with a signature of something else': (id) => ({ ...approved(id), signature: 'A'.repeat(86) }),
    'of a key that the file does not list': (id) => {
      const other = ApprovalKey.readOrMake({ XDG_CONFIG_HOME: join(keys.path, 'hub') });
      const about = {
        executionId: id,
        slug: 'signed',
        args: { to: 'eu' },
        agent: 'default',
        requestedBy: 'hub',
      };
      const definitionHash = hub.announced.find(({ name }) => name === 'signed')?.hash ?? '';
      return other.sign({ ...about, definitionHash, validUntilMs: Date.now() + VALID_MS });
    },
    'of such a key, under the name of one that it lists': (id) => {
      const other = ApprovalKey.readOrMake({ XDG_CONFIG_HOME: join(keys.path, 'hub') });
      const about = {
        executionId: id,
        slug: 'signed',
        args: { to: 'eu' },
        agent: 'default',
        requestedBy: 'hub',
      };
      const definitionHash = hub.announced.find(({ name }) => name === 'signed')?.hash ?? '';
      return {
        ...other.sign({ ...about, definitionHash, validUntilMs: Date.now() + VALID_MS }),
        key: key.publicKey,
      };
    },
  };
  for (const [what, made] of Object.entries(refused))
    test(`${what} runs nothing`, async () => {
      const id = Bun.randomUUIDv7();
      expect(await outcome(made(id), id)).toMatchObject({
        kind: 'refused',
        reason: 'local_only',
        message: expect.stringContaining('svc approvals approve'),
      });
      expect(ran()).toEqual([]);
    });

  test('counts once, also after a restart of the agent and at another process', async () => {
    const id = Bun.randomUUIDv7();
    const approval = approved(id);
    expect(await outcome(approval, id)).toMatchObject({ kind: 'exited' });
    hub.records.delete(id);
    await world.agent?.stopNow();
    await world.connect(hub.url, { localOnly: true });
    await hub.greeted(2);
    expect(await outcome(approval, id)).toMatchObject({ message: expect.stringContaining('used before') });
    hub.records.delete(id);
    const other = await world.connect(hub.url, { localOnly: true });
    await hub.greeted(3);
    expect(await outcome(approval, id)).toMatchObject({ message: expect.stringContaining('used before') });
    expect(ran()).toHaveLength(1);
    await other.stopNow();
  });

  test('is checked by an agent without --local-only, too, where the file lists keys', async () => {
    await world.agent?.stopNow();
    await world.connect(hub.url, { localOnly: false });
    await hub.greeted(2);
    expect(await outcome(undefined)).toMatchObject({ kind: 'refused' });
    const id = Bun.randomUUIDv7();
    expect(await outcome(approved(id), id)).toMatchObject({ kind: 'exited' });
  });

  test('that the agent cannot verify is refused with both remedies, and the option works', async () => {
    const message = expect.stringMatching(
      /approver_keys in svc\.yaml .*svc approvals key.*--accept-approvals-of-hub/,
    );
    expect((await hub.ended(hub.run('gated'))).ending).toMatchObject({
      kind: 'refused',
      reason: 'local_only',
      message,
    });
    await world.agent?.stopNow();
    await world.connect(hub.url, { localOnly: true, acceptsApprovalsOfHub: true });
    await hub.greeted(2);
    expect((await hub.ended(hub.run('gated'))).ending).toMatchObject({ kind: 'exited' });
    expect(await outcome(undefined)).toMatchObject({ kind: 'refused' });
  });
});
