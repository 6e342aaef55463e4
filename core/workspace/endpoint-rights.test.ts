import { describe, expect, test } from 'bun:test';
import {
  type EndpointAccess,
  type EndpointAction,
  type EndpointGrant,
  type EndpointRightsFacts,
  type Grantee,
  mayOnEndpoint,
  WorkspaceRights,
} from './endpoint-rights.ts';
import { ROLES, type Role } from './permissions.ts';

const grantOf = (some: Partial<EndpointGrant>): EndpointGrant => ({
  id: 'g1',
  workspaceId: 'w1',
  granteeKind: 'member',
  grantee: 'lin',
  endpoints: ['deploy-*'],
  can: ['run'],
  createdBy: 'ada',
  createdAtMs: 0,
  ...some,
});
const lin = (role: Role, ...groups: string[]): Grantee => ({ kind: 'member', id: 'lin', role, groups });
const deploy = { slug: 'deploy-web', tags: ['prod'] };

describe('what somebody may do with an endpoint', () => {
  test.each([
    ['all', 'owner', 'edit', true],
    ['all', 'admin', 'edit', true],
    ['all', 'member', 'run', true],
    ['all', 'member', 'approve', true],
    ['all', 'member', 'edit', false],
    ['all', 'viewer', 'view', true],
    ['all', 'viewer', 'run', false],
    ['by_grants', 'owner', 'edit', true],
    ['by_grants', 'admin', 'run', true],
    ['by_grants', 'member', 'view', false],
    ['by_grants', 'member', 'run', false],
    ['by_grants', 'viewer', 'view', false],
  ] as const)('with %s and without grants, %s may %s: %p', (access, role, action, may) => {
    expect(mayOnEndpoint({ access, grants: [] }, lin(role), action, deploy)).toBe(may);
  });

  test.each([
    ['viewer', 'view', true],
    ['viewer', 'run', true],
    ['viewer', 'approve', false],
    ['viewer', 'edit', false],
    ['member', 'run', true],
    ['member', 'edit', false],
  ] as const)('a grant of run alone lets %s %s: %p', (role, action, may) => {
    const rules = { access: 'by_grants', grants: [grantOf({})] } as const;
    expect(mayOnEndpoint(rules, lin(role), action, deploy)).toBe(may);
  });

  test.each([
    ['deploy-web', true],
    ['deploy', false],
    ['*', true],
    ['*-web', true],
    ['d*p*b', true],
    ['d*y*y*', false],
    ['deploy-web*', true],
    ['deploy-we', false],
    ['*deploy-web-*', false],
    ['tag:prod', true],
    ['tag:pro*', true],
    ['prod', false],
    ['tag:deploy-web', false],
  ])('the pattern %s fits deploy-web with the tag prod: %p', (pattern, fits) => {
    const rules = { access: 'by_grants', grants: [grantOf({ endpoints: ['nothing', pattern] })] } as const;
    expect(mayOnEndpoint(rules, lin('member'), 'run', deploy)).toBe(fits);
  });

  test.each([
    [{ granteeKind: 'member', grantee: 'eve' }, lin('member'), false],
    [{ granteeKind: 'service_account', grantee: 'lin' }, lin('member'), false],
    [{ granteeKind: 'group', grantee: 'ops' }, lin('member', 'ops'), true],
    [{ granteeKind: 'group', grantee: 'ops' }, lin('member', 'dev'), false],
    [{ granteeKind: 'group', grantee: 'ops' }, lin('member'), false],
    [{ granteeKind: 'group', grantee: 'lin' }, lin('member'), false],
    [
      { granteeKind: 'service_account', grantee: 'ci' },
      { kind: 'service_account', id: 'ci', role: 'member' },
      true,
    ],
  ] as const)('a grant for %o counts for %o: %p', (grantee, who, counts) => {
    const rules = { access: 'by_grants', grants: [grantOf(grantee)] } as const;
    expect(mayOnEndpoint(rules, who, 'run', deploy)).toBe(counts);
  });
});

describe('the rights of a workspace', () => {
  const factsOf = (access: EndpointAccess, grants: readonly EndpointGrant[]): EndpointRightsFacts => ({
    access,
    grants,
    members: new Map([
      ['ada', { role: 'owner' as const }],
      ['lin', { role: 'member' as const }],
    ]),
    serviceAccounts: new Map([['ci', { role: 'member' as const }]]),
    tags: new Map([['report', ['daily']]]),
    steps: new Map([
      ['release', ['deploy-web', 'report']],
      ['ship', ['deploy-web']],
      ['empty', []],
    ]),
  });
  const may = (facts: EndpointRightsFacts, id: string, action: EndpointAction, slug: string) =>
    new WorkspaceRights(facts).of({ kind: 'member', id })?.may(action, slug);

  test('are those of the role alone without grants, and always for owners and admins', () => {
    for (const role of ROLES)
      expect(new WorkspaceRights(factsOf('all', [])).of({ kind: 'member', id: 'lin', role })).toBeUndefined();
    const limited = new WorkspaceRights(factsOf('by_grants', []));
    expect(limited.of({ kind: 'member', id: 'ada' })).toBeUndefined();
    expect(limited.of({ kind: 'member', id: 'lin', role: 'admin' })).toBeUndefined();
    expect(limited.of({ kind: 'service_account', id: 'ci' })?.isLimited).toBe(true);
  });

  test('are nothing for a creator of keys who is no member any more', () => {
    const grants = [grantOf({ grantee: 'eve', endpoints: ['deploy-web'] })];
    expect(may(factsOf('by_grants', grants), 'gone', 'view', 'deploy-web')).toBe(false);
  });

  test('include a pipeline only with every endpoint of its steps', () => {
    const one = factsOf('by_grants', [grantOf({})]);
    expect(may(one, 'lin', 'run', 'ship')).toBe(true);
    expect(may(one, 'lin', 'run', 'release')).toBe(false);
    expect(may(one, 'lin', 'view', 'release')).toBe(false);
    const both = factsOf('by_grants', [grantOf({}), grantOf({ endpoints: ['tag:daily'], can: ['view'] })]);
    expect(may(both, 'lin', 'view', 'release')).toBe(true);
    expect(may(both, 'lin', 'run', 'release')).toBe(false);
    expect(may(both, 'lin', 'view', 'empty')).toBe(false);
    const edits = factsOf('by_grants', [grantOf({ can: ['edit'], endpoints: ['*'] })]);
    expect(may(edits, 'lin', 'edit', 'ship')).toBe(false);
    expect(may(edits, 'lin', 'edit', 'deploy-web')).toBe(true);
  });

  test('know the members without the second factor that is demanded, and no service account', () => {
    const rights = new WorkspaceRights(factsOf('all', []), new Set(['lin', 'ci']));
    expect(rights.lacksSecondFactor({ kind: 'member', id: 'lin' })).toBe(true);
    expect(rights.lacksSecondFactor({ kind: 'member', id: 'ada' })).toBe(false);
    expect(rights.lacksSecondFactor({ kind: 'service_account', id: 'ci' })).toBe(false);
    expect(new WorkspaceRights(factsOf('all', [])).lacksSecondFactor({ kind: 'member', id: 'lin' })).toBe(
      false,
    );
  });

  test('have another text after each change that matters', () => {
    const text = (access: EndpointAccess, grants: readonly EndpointGrant[]) =>
      new WorkspaceRights(factsOf(access, grants)).of({ kind: 'member', id: 'lin' })?.text;
    const before = text('by_grants', [grantOf({})]);
    expect(text('by_grants', [grantOf({}), grantOf({ grantee: 'eve' })])).toBe(before);
    expect(text('by_grants', [grantOf({ can: ['view'] })])).not.toBe(before);
    expect(text('by_grants', [])).not.toBe(before);
    expect(text('all', [grantOf({})])).not.toBe(before);
  });
});
