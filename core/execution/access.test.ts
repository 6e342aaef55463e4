import { describe, expect, test } from 'bun:test';
import { accessToCall, accessToControl, accessToExecution, type Caller } from './access.ts';

const anonymous: Caller = { kind: 'anonymous' };
const key = (workspaceId: string, endpoints?: readonly string[]): Caller => ({
  kind: 'api_key',
  id: 'k1',
  workspaceId,
  endpoints,
});
const member = (workspaceId: string): Caller => ({ kind: 'member', id: 'u1', workspaceId, role: 'member' });
const viewer: Caller = { kind: 'member', id: 'u2', workspaceId: 'w1', role: 'viewer' };
const deploy = { workspaceId: 'w1', slug: 'deploy', public: false };

describe('a call', () => {
  test.each([
    ['without a key, whether the URL exists', anonymous, deploy, 'unauthorized'],
    ['or not', anonymous, undefined, 'unauthorized'],
    ['with a key of the workspace', key('w1'), deploy, 'allowed'],
    ['with a key whose scope has it', key('w1', ['deploy']), deploy, 'allowed'],
    ['with a key whose scope lacks it', key('w1', ['other']), deploy, 'not_found'],
    ['with a key whose scope is empty', key('w1', []), deploy, 'not_found'],
    ['with a key of elsewhere', key('w2'), deploy, 'not_found'],
    ['to what does not exist', key('w1'), undefined, 'not_found'],
    ['by a member', member('w1'), deploy, 'allowed'],
    ['by a viewer', viewer, deploy, 'forbidden'],
    ['by a viewer, of a URL of elsewhere', viewer, { ...deploy, workspaceId: 'w2' }, 'not_found'],
    ['to a public URL by a viewer', viewer, { ...deploy, public: true }, 'allowed'],
    ['by a member of elsewhere', member('w2'), deploy, 'not_found'],
    ['to a public URL by anybody', anonymous, { ...deploy, public: true }, 'allowed'],
    ['to a public URL with a key of elsewhere', key('w2'), { ...deploy, public: true }, 'allowed'],
  ] as const)('%s from the table', (_, caller, target, expected) => {
    expect(accessToCall(caller, target)).toBe(expected);
  });
});

describe('an execution', () => {
  const byKey = { workspaceId: 'w1', slug: 'job', callerKind: 'api_key', callerId: 'k1' } as const;
  test.each([
    ['its own key', key('w1'), byKey, 'allowed'],
    ['another key of the workspace', key('w1'), { ...byKey, callerId: 'k2' }, 'not_found'],
    [
      'a key whose id is a member that called',
      key('w1'),
      { ...byKey, callerKind: 'member' as const },
      'not_found',
    ],
    ['a member', member('w1'), byKey, 'allowed'],
    ['a member of elsewhere', member('w2'), byKey, 'not_found'],
    ['nobody', anonymous, byKey, 'unauthorized'],
    ['nobody, and there is none', anonymous, undefined, 'unauthorized'],
    ['a key, and there is none', key('w1'), undefined, 'not_found'],
  ] as const)('for %s', (_, caller, execution, expected) => {
    expect(accessToExecution(caller, execution)).toBe(expected);
  });
});

describe('cancelling an execution', () => {
  const byKey = { workspaceId: 'w1', slug: 'job', callerKind: 'api_key', callerId: 'k1' } as const;
  test.each([
    ['its own key', key('w1'), 'allowed'],
    ['a member', member('w1'), 'allowed'],
    ['a viewer, who sees it', viewer, 'forbidden'],
    ['a member of elsewhere', member('w2'), 'not_found'],
    ['nobody', anonymous, 'unauthorized'],
  ] as const)('by %s', (_, caller, expected) => {
    expect(accessToControl(caller, byKey)).toBe(expected);
    if (caller === viewer) expect(accessToExecution(caller, byKey)).toBe('allowed');
  });
});
