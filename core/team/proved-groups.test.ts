import { expect, test } from 'bun:test';
import { type GroupsHere, type GroupsProved, provedGroups } from './proved-groups.ts';

const HERE: GroupsHere = {
  workspaceId: 'acme',
  role: 'member',
  viaGroup: undefined,
  signIn: undefined,
  isMapped: true,
};
const AT_HUB: GroupsProved = { groups: ['db'], how: 'sign_in', workspaceId: undefined };
const BY_MAIL: GroupsProved = { ...AT_HUB, groups: [] };

const TABLE: [what: string, here: Partial<GroupsHere>, proved: GroupsProved, groups: string[] | undefined][] =
  [
    ['a sign-in at the hub', {}, AT_HUB, ['db']],
    ['a check there', {}, { ...AT_HUB, how: 'check' }, ['db']],
    ['a sign-in by mail', {}, BY_MAIL, []],
    ['a sign-in at the hub where the operator allows no groups', { isMapped: false }, AT_HUB, []],
    ['a sign-in at the own provider', { signIn: 'offered' }, { ...AT_HUB, workspaceId: 'acme' }, ['db']],
    [
      'a check there, without permission of the operator',
      { signIn: 'required', isMapped: false },
      { ...AT_HUB, how: 'check', workspaceId: 'acme' },
      ['db'],
    ],
    [
      'a sign-in at the provider of another workspace',
      { signIn: 'offered' },
      { ...AT_HUB, workspaceId: 'other' },
      undefined,
    ],
    ['a sign-in at the hub, which opens the workspace', { signIn: 'offered' }, AT_HUB, []],
    ['a sign-in by mail of the owner', { signIn: 'required', role: 'owner' }, BY_MAIL, []],
    ['a sign-in by mail, which does not open it', { signIn: 'required' }, BY_MAIL, undefined],
    ['a sign-in by mail of a member by a group', { signIn: 'offered', viaGroup: 'run' }, BY_MAIL, undefined],
    ['a check at the hub', { signIn: 'offered' }, { ...AT_HUB, how: 'check' }, undefined],
    ['a link that is gone', { signIn: 'required' }, { ...BY_MAIL, how: 'unlinked' }, []],
  ];

test.each(TABLE)('%s', (_what, here, proved, groups) => {
  expect(provedGroups({ ...HERE, ...here }, proved)).toEqual(groups);
});
