import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { runs } from '../../test/effort.ts';
import { endpointFile, endpointsOf } from '../config/fixtures/svc-yaml.ts';
import { ARGUMENT_TYPES } from '../endpoint/definition.ts';
import { canonicalDefinition } from './canonical.ts';
import {
  alertDefinition,
  definitionOf,
  readAlerts,
  readDefinition,
  type WireDefinition,
} from './definition.ts';

const FULL = `
version: 1
endpoints:
  - name: deploy
    command: ./deploy.sh {{version}} {{level}}
    description: Puts a version out
    tags: [web, team-a]
    args:
      - {name: version, required: true, default: 1.10, pattern: '[0-9.]+', max_length: 20}
      - {name: level, choices: [1, 2.50, high], default: 2.50}
      - {name: note, secret: true, allow_dash: true, description: why, type: string}
      - {name: tag, type: word}
      - {name: says, type: text}
      - {name: file, type: path, root: sub/files}
      - {name: from, type: url, schemes: [https], hosts: ['*.example.com']}
    method: POST
    timeout: 90
    env: {LEVEL: 1.0, EMPTY: '', FLAG: yes}
    accepts_env: [COLOUR]
    cwd: sub/folder
    transform: {parse: regex, pattern: '(?<a>.)', select: '.[0]', on_error: raw}
    public: true
    on_disconnect: cancel
    max_concurrent: 3
    schedule: 0 4 * * 1
    agent_name: build
    approval_required: true
    approval_timeout_mins: 5
    approvers: [owner, a@b.c]
    allow_self: true
    callback_url: https://example.com/x
`;
const ALERTS = `
    alerts:
      - {events: [execution.failed], target: a@b.c}
      - {name: late, events: [no_success_since], no_success_mins: 5, target: '$svc:HOOK', channel: slack}
`;

const text = fc.string({ minLength: 1, maxLength: 12 });
const name = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const scalar = fc.oneof(text, fc.integer(), fc.boolean());
const argument = fc.record(
  {
    name,
    required: fc.boolean(),
    default: scalar,
    description: text,
    type: fc.constantFrom(...ARGUMENT_TYPES, 'string'),
    pattern: fc.constant('[a-z0-9]*'),
    root: fc.constantFrom('files', '/srv'),
    schemes: fc.constant(['https']),
    hosts: fc.constant(['example.com']),
    choices: fc.array(scalar, { minLength: 1, maxLength: 3 }),
    max_length: fc.integer({ min: 1, max: 100 }),
    secret: fc.boolean(),
    allow_dash: fc.boolean(),
  },
  { requiredKeys: ['name'] },
);
/** Definitions of every shape; some have mistakes. */
const anyDefinition: fc.Arbitrary<WireDefinition> = fc.record(
  {
    name,
    command: fc.constantFrom('echo hi', 'echo {{a}} | wc', 'env'),
    args: fc.uniqueArray(argument, { selector: (it) => it.name, maxLength: 3 }),
    method: fc.constantFrom('GET', 'POST'),
    description: text,
    tags: fc.array(fc.constantFrom('web', 'team-a'), { maxLength: 3 }),
    timeout: fc.integer({ min: 1, max: 86_400 }),
    env: fc.dictionary(fc.stringMatching(/^[A-Z]{1,5}$/), scalar, { maxKeys: 3, noNullPrototype: true }),
    accepts_env: fc.uniqueArray(fc.constantFrom('COLOUR', 'SIZE', 'PATH'), { maxLength: 2 }),
    approver_keys: fc.constantFrom([`ed25519:${'A'.repeat(43)}`], ['ed25519:short']),
    cwd: text,
    transform: fc.record(
      { parse: fc.constantFrom('json', 'lines'), select: text, on_error: fc.constantFrom('fail', 'raw') },
      { requiredKeys: ['parse'] },
    ),
    public: fc.boolean(),
    on_disconnect: fc.constantFrom('continue', 'cancel'),
    max_concurrent: fc.integer({ min: 1, max: 10 }),
    schedule: fc.constantFrom('* * * * *', '0 0 1 1 0'),
    agent_name: text,
    approval_required: fc.boolean(),
    approval_timeout_mins: fc.integer({ min: 1, max: 100 }),
    approvers: fc.array(fc.constantFrom('owner', 'x@y.z'), { minLength: 1, maxLength: 2 }),
    allow_self: fc.boolean(),
    callback_url: fc.constant('https://example.com'),
  },
  { requiredKeys: ['name', 'command'] },
);

function read(definition: WireDefinition) {
  const result = readDefinition(definition);
  if (result.kind === 'problems') throw new Error(result.problems.join('\n'));
  return result.endpoint;
}

describe('the definition of an endpoint', () => {
  test('gives the same endpoint back, with everything in it and as its author wrote it', () => {
    const [endpoint] = endpointsOf(FULL);
    if (endpoint === undefined) throw new Error('no endpoint');
    const definition = definitionOf(endpoint);
    expect(read(JSON.parse(JSON.stringify(definition)))).toEqual(endpoint);
    expect(definition).toMatchObject({ env: { LEVEL: '1.0', FLAG: 'yes' }, timeout: 90 });
    expect(definition).toHaveProperty('args[0].default', '1.10');
    expect(definition).toHaveProperty('args[1].choices', ['1', '2.50', 'high']);
    // An inferred type is not in the hash: the same file gives the same one when inference changes.
    expect(definition).not.toHaveProperty('args[2].type');
    expect(definition).toHaveProperty('args[3].type', 'word');
    expect(definition).toHaveProperty('args[4].type', 'text');
  });

  test('gives the same endpoint back, whatever the definition', () => {
    let endpoints = 0;
    fc.assert(
      fc.property(anyDefinition, (given) => {
        const result = readDefinition(given);
        if (result.kind === 'problems') return;
        endpoints += 1;
        const definition = definitionOf(result.endpoint);
        expect(read(JSON.parse(JSON.stringify(definition)))).toEqual(result.endpoint);
        expect(definitionOf(read(definition))).toEqual(definition);
      }),
      { numRuns: runs(3_000) },
    );
    expect(endpoints).toBeGreaterThan(runs(300));
  });

  test('has no alerts, which travel beside it: the hash is that of the endpoint without them', () => {
    const [without = expect.unreachable()] = endpointsOf(FULL);
    const [endpoint = expect.unreachable()] = endpointsOf(FULL.trimEnd() + ALERTS);
    expect(definitionOf(endpoint)).toEqual(definitionOf(without));
    const announced = endpoint.alerts?.map(alertDefinition) ?? [];
    expect(announced[0]).toEqual({ events: ['execution.failed'], target: 'a@b.c' });
    const [one, late] = endpoint.alerts ?? [];
    expect(readAlerts(announced)).toEqual({
      alerts: [
        { key: '1', alert: one ?? expect.unreachable() },
        { key: 'late', alert: late ?? expect.unreachable() },
      ],
      problems: [],
    });
    // As a key of the definition they would be stored where a hub of an earlier version reads them.
    const stored = { ...definitionOf(endpoint), alerts: announced };
    expect(readDefinition(stored)).toEqual({
      kind: 'problems',
      problems: ['alerts: they are announced beside the definition'],
    });
  });

  test.each([
    [{ target: 'a@b.c' }, 'alert "1": key "events" is missing: a list of events expected'],
    [{ events: ['agent.offline'], target: 'a@b.c' }, 'alert "1": events[0]'],
    [
      { events: ['no_success_since'], target: 'a@b.c' },
      'alert "1": events: no_success_since needs no_success_mins',
    ],
    [{ events: ['execution.failed'], target: 'https://hooks.example.com' }, 'alert "1": target'],
  ])('leaves out the announced alert %p and says why', (announced, problem) => {
    const good = { events: ['execution.lost'], target: 'a@b.c' } as const;
    const { alerts, problems } = readAlerts([announced, good, { ...good, name: '2' }]);
    expect(problems).toEqual([expect.stringContaining(problem), 'alert "2" is declared twice']);
    expect(alerts).toEqual([{ key: '2', alert: { ...good, events: [...good.events] } }]);
  });

  test('leaves out what has its default', () => {
    const [endpoint] = endpointsOf(
      endpointFile(
        'timeout: 60',
        'args: [{name: a, required: false, type: string}, {name: b, type: enum, choices: [c]}, {name: d, type: text, pattern: x}]',
        'env: {}',
        'public: false',
      ),
    );
    if (endpoint === undefined) throw new Error('no endpoint');
    expect(definitionOf(endpoint)).toEqual({
      name: 'x',
      command: 'echo hi',
      args: [{ name: 'a' }, { name: 'b', choices: ['c'] }, { name: 'd', pattern: 'x' }],
    });
  });
});

test('a definition with mistakes is refused with all of them', () => {
  const definition = { name: 'x', command: 'echo `id {{a}}`', args: [{ name: 'a' }], timeout: 0, comand: 1 };
  const result = readDefinition(definition);
  if (result.kind === 'endpoint') throw new Error('accepted');
  expect(result.problems.map((problem) => problem.split(':')[0])).toEqual(['timeout', 'comand', 'command']);
});

test('no definition causes an error', () => {
  fc.assert(fc.property(fc.object({ maxDepth: 4 }), (junk) => void readDefinition(junk)));
});

describe('the canonical form', () => {
  test('does not depend on the order of keys, at any depth', () => {
    const a = { name: 'x', command: 'c', env: { B: '1', A: '2' }, args: [{ name: 'a', secret: true }] };
    const b = { args: [{ secret: true, name: 'a' }], env: { A: '2', B: '1' }, command: 'c', name: 'x' };
    expect(canonicalDefinition(a)).toBe(
      '{"args":[{"name":"a","secret":true}],"command":"c","env":{"A":"2","B":"1"},"name":"x"}',
    );
    expect(canonicalDefinition(b)).toBe(canonicalDefinition(a));
  });

  test('is another one for every other definition', () => {
    fc.assert(
      fc.property(anyDefinition, anyDefinition, (a, b) => {
        expect(canonicalDefinition(a) === canonicalDefinition(b)).toBe(Bun.deepEquals(a, b));
        expect(JSON.parse(canonicalDefinition(a))).toEqual(a);
      }),
    );
  });
});
