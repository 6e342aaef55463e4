// Approvals that need a passkey (decision 89, approval with a passkey), with an authenticator made of bytes.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PRESENT_ONLY, SoftwareAuthenticator } from '@svc/hub/passkeys/fixtures/software-authenticator';
import { Approvals } from '../approvals.ts';
import { type HubWorld, hubWorld } from '../hub-world.ts';
import { addPasskey, type Begun, beginPasskey, passkeyAnswer } from '../passkeys.ts';
import { type ParsedAnswer, type Person, personWith, signIn } from '../people.ts';
import type { ScriptedAgent } from '../scripted-agent.ts';

const OWNER = 'operator@localhost';
const GUARDED = { name: 'guarded', command: 'true', approval_required: true, approval: 'passkey' };

let world: HubWorld;
let agent: ScriptedAgent;
let approvals: Approvals;
let owner: Person;
const key = new SoftwareAuthenticator();

beforeAll(async () => {
  world = await hubWorld({ env: { SVC_HOST: 'localhost', SVC_RATE_LIMITS: 'off' } });
  agent = await world.agent({ endpoints: [GUARDED, { ...GUARDED, name: 'plain', approval: undefined }] });
  approvals = new Approvals(world);
  owner = await signIn(world, OWNER);
  await addPasskey(world, owner, key);
});
afterAll(() => world[Symbol.asyncDispose]());

const begin = (id: string, person = owner) => beginPasskey(world, person, `/approvals/${id}/passkey`);

const approve = (id: string, { person }: Pick<Begun, 'person'>, passkey: object): Promise<ParsedAnswer> =>
  person.ask('POST', `/approvals/${id}/decide`, { body: { decision: 'approve', passkey } });

async function ownerId(): Promise<string> {
  const { owner } = (await (await world.manage('/team/members')).json()) as { owner: { id: string } };
  return owner.id;
}

const stateOf = async (id: string) => (await approvals.approval(id)).status;

test('a passkey of the approver approves a call, which runs once, and the audit log names the passkey', async () => {
  const { approval_id: id, executionId } = await approvals.callForApproval('guarded');
  const begun = await begin(id);
  const answer = passkeyAnswer(key, begun, await ownerId());
  const decided = await approve(id, begun, answer);
  expect([decided.status, decided.body.status]).toEqual([200, 'approved']);
  expect(await agent.receive('run')).toMatchObject({ execution_id: executionId });
  const again = await approve(id, begun, answer);
  expect(again.body.code).toBe('approval_closed');
  const { items } = (await (await world.manage('/audit?action=approval.approved')).json()) as {
    items: { details: object }[];
  };
  expect(items[0]?.details).toMatchObject({ execution_id: executionId, passkey: 'Laptop' });
});

test('the owner of a workspace of one sees that a passkey is needed, and that they may decide', async () => {
  await approvals.callForApproval('guarded');
  const { body } = await owner.ask('GET', '/approvals?status=pending_approval');
  expect((body.items as object[])[0]).toMatchObject({ needs_passkey: true, may_decide: 'yes' });
});

describe('nothing else approves', () => {
  const REFUSED: readonly [what: string, attempt: (id: string) => Promise<ParsedAnswer>][] = [
    [
      'a session alone',
      (id) => owner.ask('POST', `/approvals/${id}/decide`, { body: { decision: 'approve' } }),
    ],
    ['an access token', (id) => approvals.decide(id, 'approve')],
    [
      'the challenge of another approval',
      async (id) => {
        const other = await approvals.callForApproval('guarded');
        const begun = await begin(other.approval_id);
        return approve(id, begun, passkeyAnswer(key, begun, await ownerId()));
      },
    ],
    [
      'the challenge of another session',
      async (id) => {
        const begun = await begin(id);
        const [cookie = ''] = begun.person.cookie.match(/svc_approval_passkey=[^;]*/) ?? [];
        const session = await signIn(world, OWNER);
        const person = personWith(world, OWNER, `${session.cookie}; ${cookie}`);
        return approve(id, { person }, passkeyAnswer(key, begun, await ownerId()));
      },
    ],
    [
      'no challenge at all',
      async (id) => {
        const begun = await begin(id);
        return approve(id, { person: owner }, passkeyAnswer(key, begun, await ownerId()));
      },
    ],
    [
      'a passkey that did not verify its person',
      async (id) => {
        const begun = await begin(id);
        const use = { ...begun, flags: PRESENT_ONLY };
        return approve(id, begun, passkeyAnswer(key, use, await ownerId()));
      },
    ],
    [
      'an answer to another origin',
      async (id) => {
        const begun = await begin(id);
        const use = { ...begun, origin: 'http://localhost:1' };
        return approve(id, begun, passkeyAnswer(key, use, await ownerId()));
      },
    ],
    [
      'a credential that is no passkey of the person',
      async (id) => {
        const begun = await begin(id);
        return approve(id, begun, passkeyAnswer(new SoftwareAuthenticator(), begun, await ownerId()));
      },
    ],
    [
      'the passkey of another member',
      async (id) => {
        const lin = await signIn(world, 'lin@example.com');
        const other = new SoftwareAuthenticator();
        await addPasskey(world, lin, other, 'Of Lin');
        const begun = await begin(id);
        return approve(id, begun, passkeyAnswer(other, begun, await ownerId()));
      },
    ],
    [
      'a passkey that was removed after it signed',
      async (id) => {
        const other = new SoftwareAuthenticator();
        const passkeyId = await addPasskey(world, owner, other, 'Lost');
        const begun = await begin(id);
        const answer = passkeyAnswer(other, begun, await ownerId());
        expect((await owner.ask('DELETE', `/auth/passkeys/${passkeyId}`)).status).toBe(204);
        return approve(id, begun, answer);
      },
    ],
  ];

  test.each(REFUSED)('%s', async (_what, attempt) => {
    const { approval_id: id, executionId } = await approvals.callForApproval('guarded');
    const { body } = await attempt(id);
    expect(body.code).toMatch(/^(?:forbidden|link_expired)$/);
    expect(await stateOf(id)).toBe('pending_approval');
    expect(await approvals.execution(executionId)).toMatchObject({ status: 'pending_approval' });
  });

  test('the link only shows the call, and a signed-in person is sent to the dashboard', async () => {
    const { path, executionId, approval_id: id } = await approvals.callForApproval('guarded');
    expect((await approvals.page(path)).text).toContain('Sign in to decide');
    const decide = await approvals.opened(path, owner.cookie);
    const page = await approvals.page(path, { headers: { cookie: owner.cookie } });
    expect(page.text).toContain(`/dashboard/executions/${executionId}`);
    expect(page.text).not.toContain('value="approve"');
    expect((await decide('approve')).status).toBe(401);
    expect(await stateOf(id)).toBe('pending_approval');
  });

  test('the challenge after five minutes', async () => {
    const { approval_id: id } = await approvals.callForApproval('guarded');
    const begun = await begin(id);
    const answer = passkeyAnswer(key, begun, await ownerId());
    world.clock.move(5 * 60_000);
    const { body } = await approve(id, begun, answer);
    expect(body.code).toBe('link_expired');
    expect(await stateOf(id)).toBe('pending_approval');
  });
});

test('a denial needs no passkey', async () => {
  const { approval_id: id } = await approvals.callForApproval('guarded');
  expect((await approvals.decide(id, 'deny')).status).toBe(200);
  expect(await stateOf(id)).toBe('denied');
});

test('a person without a passkey learns where to add one', async () => {
  const lin = await approvals.member('eve@example.com');
  const { approval_id: id } = await approvals.callForApproval('guarded');
  const { username } = world.start;
  const { status, body } = await lin.ask('POST', `/approvals/${id}/passkey`, { workspace: username });
  expect([status, body.error]).toEqual([403, expect.stringContaining('add one in the settings')]);
});

test('of two uses of one counter only one counts', async () => {
  const counting = new SoftwareAuthenticator();
  await addPasskey(world, owner, counting, 'Counting');
  counting.counter = 7;
  const calls = await Promise.all([1, 2].map(() => approvals.callForApproval('guarded')));
  const userId = await ownerId();
  const outcomes = await Promise.all(
    calls.map(async ({ approval_id: id }) => {
      const begun = await begin(id);
      return (await approve(id, begun, passkeyAnswer(counting, begun, userId))).status;
    }),
  );
  expect(outcomes.filter((status) => status === 200)).toHaveLength(1);
});

test('the API can demand a passkey, and cannot take the demand of the file away', async () => {
  const change = (name: string, approval: unknown) =>
    world.manage(`/endpoints/${name}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ approval }),
    });
  expect((await change('plain', 'passkey')).status).toBe(200);
  expect((await (await world.manage('/endpoints/plain')).json()) as object).toMatchObject({
    approval: 'passkey',
  });
  const { approval_id: id } = await approvals.callForApproval('plain');
  expect((await approvals.decide(id, 'approve')).status).toBe(403);
});
