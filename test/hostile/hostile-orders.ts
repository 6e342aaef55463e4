import { hashOf } from '@svc/agent/link/definitions';
import type { SignedApproval } from '@svc/core/approval/signed-approval';
import type { AgentFrameOf, HubFrameOf } from '@svc/core/protocol/frame';

type Order = HubFrameOf<'run'>;
type Announced = AgentFrameOf<'hello'>['endpoints'][number];
type Mutation = (order: Order, dice: Dice, file: readonly Announced[]) => Order;

/** The same throws for the same seed, so that what fails once fails again. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** From 0 up to 1 (mulberry32). */
  throw(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  }

  of<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.throw() * items.length)];
    if (item === undefined) throw new Error('nothing to choose from');
    return item;
  }
}

const CODE = 'touch pwned; echo pwned >> ran';
const VALUES = [
  ...[
    '; touch pwned',
    '$(touch pwned)',
    '`touch pwned`',
    '| touch pwned',
    '"; touch pwned; "',
    "'; touch pwned; '",
  ],
  ...[
    '--help',
    '-rf',
    '-c',
    '--',
    '-',
    '/etc/passwd',
    '../../etc',
    '~root',
    '@/etc/hostname',
    'file:///etc/passwd',
  ],
  ...[
    '1e9',
    '0x10',
    '1.5',
    ' 1',
    '1\n2',
    '٣',
    'NaN',
    'true',
    '',
    ' ',
    'a b',
    'A',
    'toolongforthis',
    'é',
    '\u202eab',
    'a\u0000b',
  ],
];
const VARIABLES = [
  ...[
    'PATH',
    'LD_PRELOAD',
    'LD_LIBRARY_PATH',
    'BASH_ENV',
    'ENV',
    'IFS',
    'PS4',
    'SHELLOPTS',
    'HOME',
    'MODE',
    'SVC_TOKEN',
  ],
  ...[
    'SVC_ARG_WHO',
    'SVC_ENDPOINT',
    'NODE_OPTIONS',
    'PYTHONPATH',
    'PERL5OPT',
    'GIT_SSH_COMMAND',
    'MAVEN_OPTS',
    'CFLAGS',
  ],
  ...['toString', 'constructor', 'colour', 'COLOUR ', 'COLOUR=x', '', 'A B', 'A\nB', 'OTHER', 'TRACEPARENT'],
];

/** Each takes a sound order and makes something of it that a hub with bad intentions could send. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  command: (order, dice, file) => whole(order, dice, file, { command: CODE }),
  cwd: (order, dice, file) => whole(order, dice, file, { cwd: dice.of(['/', '/tmp', '..', '/root']) }),
  transform: (order, dice, file) =>
    whole(order, dice, file, {
      transform: { parse: 'lines', select: dice.of(['env', 'input', '$ENV', 'halt']) },
    }),
  definitionEnv: (order, dice, file) =>
    whole(order, dice, file, { env: { MODE: 'hostile', [`V${dice.throw()}`]: 'x' } }),
  arguments: (order, dice, file) => whole(order, dice, file, { args: [{ name: 'who' }, { name: 'to' }] }),
  ungated: (order, dice, file) =>
    whole(order, dice, file, { approval_required: false, approver_keys: undefined, approvers: undefined }),
  otherHash: (order, dice, file) => ({
    ...order,
    hash: dice.of([...file.map(({ hash }) => hash), 'f'.repeat(64)]),
  }),
  otherSlug: (order, dice, file) => ({
    ...order,
    endpoint: dice.of([...file.map(({ name }) => name), 'sh', 'bash']),
  }),
  value: (order, dice) => ({
    ...order,
    args: { ...order.args, [dice.of(['who', 'to', 'n'])]: dice.of(VALUES) },
  }),
  argument: (order, dice) => ({ ...order, args: { ...order.args, [dice.of(VARIABLES)]: 'x' } }),
  noArguments: (order) => ({ ...order, args: {} }),
  variable: (order, dice) => ({ ...order, env: { [dice.of(VARIABLES)]: dice.of(VALUES) } }),
  accepted: (order, dice) => ({ ...order, env: { COLOUR: dice.of(VALUES) } }),
  someVariables: (order, dice) => ({ ...order, env: { COLOUR: 'red', [dice.of(VARIABLES)]: 'x' } }),
  secret: (order, dice) => ({
    ...order,
    secrets: { [dice.throw() < 0.5 ? 'TOKEN' : dice.of(VARIABLES)]: dice.of(VALUES) },
  }),
  timeout: (order, dice) => ({ ...order, timeout: dice.of([1, 6, 60, 86_400]) }),
  hosted: (order) => ({ ...order, hosted: { vcpus: 1, memory_bytes: 2 ** 30, network: true } }),
  hostedWhole: (order, dice, file) => ({
    ...whole(order, dice, file, { command: CODE }),
    hosted: { vcpus: 1, memory_bytes: 2 ** 30, network: true },
  }),
  step: (order, dice) => ({
    ...order,
    step: dice.of(['a', '"}\n\ndata: {"type":"done"}', '../..', '\u0000']),
  }),
  trace: (order) => ({ ...order, traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
  mask: (order, dice) => ({ ...order, mask: [dice.of(VALUES), ''] }),
  unknownFields: (order, dice) =>
    ({
      ...order,
      argv: ['/bin/sh', '-c', CODE],
      command: CODE,
      cwd: '/',
      shell: true,
      local_only: dice.throw() < 0.5,
    }) as Order,
  approved: (order) => ({ ...order, approved: true, approved_by: 'owner@example.org' }) as Order,
  forged: (order, dice) => ({ ...order, approval: forged(dice) }),
  sound: (order) => order,
};
export const KINDS: readonly string[] = Object.keys(MUTATIONS);

/** An order that differs from a valid one by one mutation or two. */
export interface HostileOrder {
  readonly kinds: readonly string[];
  readonly order: Order;
}

/** An order that the agent's file allows, but for approvals, made hostile. */
export function hostileOrder(file: readonly Announced[], dice: Dice): HostileOrder {
  const { name, hash } = dice.of(file);
  const sound: Order = {
    type: 'run',
    execution_id: Bun.randomUUIDv7(),
    endpoint: name,
    hash,
    args: soundArgs(name),
    secrets: {},
  };
  const kinds = dice.throw() < 0.3 ? [dice.of(KINDS), dice.of(KINDS)] : [dice.of(KINDS)];
  const order = kinds.reduce((changed, kind) => MUTATIONS[kind]?.(changed, dice, file) ?? changed, sound);
  return { kinds, order };
}

function soundArgs(name: string): Record<string, string> {
  if (name === 'plain') return { who: 'ada', n: '7' };
  return name === 'signed' ? { to: 'eu' } : {};
}

/** A definition of the hub's own, under its own hash or under one of the file. */
function whole(
  order: Order,
  dice: Dice,
  file: readonly Announced[],
  different: Record<string, unknown>,
): Order {
  const own = file.find(({ name }) => name === order.endpoint)?.definition ?? { name: order.endpoint };
  const definition = JSON.parse(JSON.stringify({ ...own, ...different })) as Record<string, unknown>;
  const hash = dice.throw() < 0.5 ? hashOf(definition) : order.hash;
  return { ...order, definition, hash };
}

function forged(dice: Dice): SignedApproval {
  return {
    key: dice.of([`ed25519:${'A'.repeat(43)}`, 'ed25519:', '', 'none']),
    signature: dice.of(['A'.repeat(86), '', 'x']),
    agent: dice.of(['default', 'other']),
    requested_by: 'owner@example.org',
    valid_until_ms: dice.of([0, Date.now() + 60_000, Number.MAX_SAFE_INTEGER]),
  };
}
