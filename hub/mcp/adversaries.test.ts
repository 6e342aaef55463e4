// Ten thousand sessions of agents that want to run what no other person has approved (decision 75, approval of calls of agents).
// They reach the handlers without a network; the store and the protocol are real.
import { expect, test } from 'bun:test';
import type { Decider } from '@svc/core/approval/may-decide';
import { Refusal } from '@svc/core/refusal';
import { MovableClock } from '../../test/movable-clock.ts';
import { LinkTokens } from '../accounts/link-token.ts';
import type { DecideDeps } from '../approvals/decide.ts';
import { decide } from '../approvals/decide.ts';
import { FailedAttempts } from '../approvals/failed-attempts.ts';
import type { Execution } from '../executions/execution-ports.ts';
import { ChangeWaiters } from '../executions/live/change-waiters.ts';
import {
  announced,
  auditEntry,
  NOW_MS,
  newExecution,
  newId,
  newWorkspace,
} from '../platform/db/fixtures/samples.ts';
import { storeOfTests } from '../platform/db/fixtures/stores.ts';
import { EnvelopeVault } from '../platform/vault/envelope-vault.ts';
import type { RunEndpointDeps } from './agent-side.ts';
import { takeUrlAnswer } from './ask-on-stream.ts';
import { abilitiesOf } from './client-session.ts';
import { mcpEndpoint } from './mcp-endpoint.ts';
import { protocolServer } from './protocol-server.ts';
import { digestOf, sealFor } from './sealed-state.ts';
import type { Visit } from './visit.ts';

const SESSIONS = 10_000;
const CONCURRENCY = 100;
const HELD = 40;
const HUB = 'https://svc.example.com';
const PROTOCOL = 'io.modelcontextprotocol';
const store = storeOfTests();

/** A generator with a seed, so that a failure repeats (Park and Miller). */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

async function world() {
  const { workspaceId, userId } = await newWorkspace(store());
  const { registered } = await store().endpoints.register(
    workspaceId,
    'default',
    { endpoints: [announced('deploy')] },
    NOW_MS,
  );
  const endpoint = registered[0] ?? expect.unreachable();
  const key = {
    ...{ id: newId(), workspaceId, createdBy: userId, name: 'agent', hash: newId(), last4: 'abcd' },
    ...{ endpoints: undefined, createdAtMs: NOW_MS, expiresAtMs: undefined, revokedAtMs: undefined },
  };
  await store().credentials.addApiKey(key, auditEntry(workspaceId));
  await store().credentials.markAgent(key.hash, NOW_MS);
  const pending = [];
  for (let count = 0; count < HELD; count += 1) {
    const execution = newExecution({
      ...{ workspaceId, endpointId: endpoint.id, endpointVersion: endpoint.version, args: '{}' },
      ...{ definitionHash: endpoint.definitionHash, state: 'pending_approval', callerId: key.id },
      // Over MCP, over plain HTTP with the agent's key, and as a step of a pipeline.
      trigger: (['mcp', 'call', 'pipeline'] as const)[count % 3] ?? 'mcp',
    });
    const approval = {
      ...{ id: newId(), workspaceId, executionId: execution.id, slug: 'deploy', agentName: 'default' },
      ...{ requestedBy: 'an AI agent', requesterId: userId, generation: 0, createdAtMs: NOW_MS },
      ...{ expiresAtMs: NOW_MS + 3_600_000, closing: undefined },
    };
    await store().approvals.addPending({ execution, approval, alerts: [] });
    pending.push({ execution, approval });
  }
  const queued: Execution[] = [];
  const clock = new MovableClock();
  const deps = {
    ...store(),
    ledger: store().executions,
    clock,
    hubId: 'hub1',
    changes: new ChangeWaiters(clock),
    vault: new EnvelopeVault(new Uint8Array(32)),
    linkTokens: new LinkTokens(() => [new Uint8Array(32)]),
    settings: { hubUrl: HUB, baseUrl: HUB },
    random: { uuid: () => newId(), bytes: (count: number) => new Uint8Array(count) },
    failedAttempts: new FailedAttempts(),
    lookups: {
      endpoint: (id: string, slug: string) => store().endpoints.find(id, slug),
      workspaceById: () => undefined,
      pipeline: (id: string, slug: string) => store().pipelines.find(id, slug),
    },
    openStreams: { open: () => () => undefined },
    queue: { add: async (execution: Execution) => void queued.push(execution) },
    reportBug: (error: unknown) => {
      throw error;
    },
  } as unknown as RunEndpointDeps & DecideDeps;
  return { deps, pending, queued, workspaceId, userId, keyId: key.id };
}

test(`${SESSIONS} hostile sessions run nothing, and one decision of a signed-in member runs one call`, async () => {
  const { deps, pending, queued, workspaceId, userId, keyId } = await world();
  const random = randomOf(20_261_123);
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] ?? expect.unreachable();
  const endpoint = mcpEndpoint<Visit>(
    { hubUrl: HUB },
    (visit, era) =>
      // The agent does not wait for a decision, so that the session ends.
      protocolServer(deps, visit, { era, version: '1', left: AbortSignal.abort() }),
    { questions: { vault: deps.vault, takeAnswer: (answer, visit) => takeUrlAnswer(deps, visit, answer) } },
  );
  const visitOf = (id: string) =>
    ({
      caller: { kind: 'api_key', id, workspaceId, endpoints: undefined },
      workspace: { id: workspaceId, username: 'ada', plan: 'free' },
      username: undefined,
      selection: { names: undefined, isReadOnly: false, mode: undefined },
      identifyAgain: async () => ({ kind: 'anonymous' }),
    }) as unknown as Visit;
  const agent = visitOf(keyId);
  const second = visitOf(newId());
  const rpc = async (visit: Visit, method: string, params: Readonly<Record<string, unknown>>) => {
    const meta = {
      [`${PROTOCOL}/protocolVersion`]: '2026-07-28',
      [`${PROTOCOL}/clientCapabilities`]: {
        elicitation: { form: {}, url: {} },
        extensions: { [`${PROTOCOL}/tasks`]: {} },
      },
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': String(params.name ?? params.taskId),
    };
    const response = await endpoint(new Request(`${HUB}/mcp`, { method: 'POST', headers, body }), visit);
    return await response.text();
  };
  const call = (visit: Visit, requestState: string, args: object, more: object = {}) =>
    rpc(visit, 'tools/call', { name: 'deploy', arguments: args, requestState, ...more });
  const stateOf = (validUntilMs = Number.MAX_SAFE_INTEGER) => {
    const { execution, approval } = pick(pending);
    const digest = digestOf('deploy', new Map());
    return sealFor(deps.vault, agent, 'state', {
      ...{ executionId: execution.id, approvalId: approval.id, digest, validUntilMs },
    });
  };
  /** Answers a question in the name of a client of an earlier revision. */
  const reply = async (visit: Visit, id: string, action: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: { action, content: { approve: true } } });
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      'mcp-session-id': sealFor(deps.vault, agent, 'session', { abilities: ['open_url'] }),
    };
    return (await endpoint(new Request(`${HUB}/mcp`, { method: 'POST', headers, body }), visit)).status;
  };
  const questionId = () =>
    sealFor(deps.vault, agent, 'question', { executionId: pick(pending).execution.id });
  const canBeAsked = (visit: Visit, session: string) =>
    abilitiesOf(deps.vault, visit, { headers: new Headers({ 'mcp-session-id': session }) }).size;
  const session = sealFor(deps.vault, agent, 'session', { abilities: ['open_url'] });
  const decideAs = async (approver: Decider, decision: 'approve' | 'deny', comment?: string) => {
    const source = {
      actor: { kind: 'link', id: undefined, name: 'an agent' },
      from: { address: undefined, userAgent: undefined },
    } as const;
    const wanted = { approvalId: pick(pending).approval.id, decision, comment, approver, source };
    return await decide(deps, wanted).then(
      () => 'decided',
      (error: unknown) => (error instanceof Refusal ? error.code : error),
    );
  };
  const owner = { kind: 'member', id: userId, email: 'ada@example.org', role: 'owner' } as const;
  const yes = { approval: { action: 'accept', content: { confirm: true, approve: true } } };
  /** Each attack, and what its answer has to contain. */
  const attacks: readonly (readonly [name: string, attack: () => Promise<unknown>, answer: string])[] = [
    ['a changed state', () => call(agent, changed(stateOf(), random), {}), '-32602'],
    [
      'an invented state',
      () => call(agent, Buffer.from(newId().repeat(1 + random(9))).toString('base64url'), {}),
      '-32602',
    ],
    ['a state of another key', () => call(second, stateOf(), {}), '-32602'],
    ['an expired state', () => call(agent, stateOf(deps.clock.nowMs() - 1 - random(1_000)), {}), '-32602'],
    ['a state as a task', () => rpc(agent, 'tasks/get', { taskId: stateOf() }), 'there is no such task'],
    ['a state for other arguments', () => call(agent, stateOf(), { extra: 'x' }), 'invalid_argument'],
    ['a yes in a form', () => call(agent, stateOf(), {}, { inputResponses: yes }), 'input_required'],
    ['a yes to its own question', () => reply(agent, questionId(), 'accept'), '202'],
    ['a no of another key', () => reply(second, questionId(), pick(['decline', 'cancel'])), '202'],
    ['a no with a changed id', () => reply(agent, changed(questionId(), random), 'decline'), '202'],
    [
      'a no with a state, a session or an id as the id',
      () => reply(agent, pick([stateOf(), session, pick(pending).execution.id]), 'decline'),
      '202',
    ],
    [
      'a session of another key, a changed one, and a question as one',
      async () =>
        canBeAsked(second, session) +
        canBeAsked(agent, changed(session, random)) +
        canBeAsked(agent, questionId()),
      '0',
    ],
    [
      'its own link',
      () => decideAs({ kind: 'link' }, pick(['approve', 'deny']), 'approved by ada'),
      'forbidden',
    ],
    ['the token of its user', () => decideAs({ ...owner, credential: 'token' }, 'approve'), 'forbidden'],
    ['its own token', () => decideAs({ ...owner, credential: 'agent_token' }, 'approve'), 'forbidden'],
    [
      'a member who is none',
      () => decideAs({ ...owner, id: newId(), credential: 'session' }, 'approve'),
      'not_found',
    ],
  ];
  for (let begun = 0; begun < SESSIONS; begun += CONCURRENCY)
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async (_, index) => {
        const [name, attack, answer] = pick(attacks);
        const answered = String(await attack());
        if (!answered.includes(answer))
          expect([begun + index, name, answered]).toEqual([begun + index, name, answer]);
      }),
    );
  const states = async () =>
    await Promise.all(pending.map(async ({ execution: { id } }) => (await deps.ledger.find(id))?.state));
  expect([new Set(await states()), queued]).toEqual([new Set(['pending_approval']), []]);

  expect(await decideAs({ ...owner, credential: 'session' }, 'approve')).toBe('decided');
  expect((await states()).filter((state) => state === 'queued')).toHaveLength(1);
});

/** The same text with one character changed, or cut off somewhere. The last characters may hold bits that mean nothing. */
function changed(text: string, random: (below: number) => number): string {
  const at = random(text.length - 8);
  if (random(4) === 0) return text.slice(0, at);
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}
