import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteBodyOf } from '@svc/core/api/routes';
import type { Command } from 'commander';
import { action, done, listed, shown } from '../resource/action.ts';
import { findOne } from '../resource/find-one.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Member = Awaited<ReturnType<ApiClient['listMembers']>>['items'][number];
type Invite = Awaited<ReturnType<ApiClient['listInvites']>>['items'][number];
type Ownership = Awaited<ReturnType<ApiClient['showOwnership']>>;
type Role = RouteBodyOf<'changeMember'>['role'];

const MEMBER = ['<member>', 'the e-mail address or the id of the member'] as const;
const INVITE = ['<invitation>', 'the e-mail address or the id of the invitation'] as const;

/** `svc team`: members, roles and invitations. */
export function teamCommand(): Command {
  return resourceCommand({
    name: 'team',
    examples: [
      'svc team                                   list members',
      'svc team show lin@example.com',
      'svc team invite lin@example.com            a mail with a link that works for seven days',
      'svc team invite lin@example.com --role admin',
      'svc team invites                           list open invitations',
      'svc team change lin@example.com admin',
      'svc team remove lin@example.com',
      'svc team ownership                         show the owner and the pending offer of ownership',
    ],
    notes: [
      'The list does not contain the owner. Only owners and admins invite, change and remove members.',
      'Offer and accept the ownership in a browser, on the page Team. An access token cannot do that.',
    ],
    actions: [
      action({
        name: 'list',
        summary: 'list the members of the team',
        isDefault: true,
        run: (api) => listed(members(api), memberRow, 'no members besides the owner'),
      }),
      action<{ member: string }>({
        name: 'show',
        summary: 'show a member',
        arguments: [MEMBER],
        run: async (api, { member }) => {
          const found = await findOne('member', member, byAddress(members(api)));
          return shown(found, [memberRow(found)]);
        },
      }),
      action({
        name: 'invites',
        summary: 'list open invitations',
        run: (api) => listed(invites(api), inviteRow, 'no open invitations'),
      }),
      action<{ email: string; role?: Role }>({
        name: 'invite',
        aliases: ['create'],
        summary: 'invite a person by mail',
        arguments: [['<email>', 'the address that receives the invitation']],
        options: [['--role <role>', 'member (default), admin, or viewer, who may only view']],
        run: async (api, { email, role = 'member' }) => {
          const invited = await api.inviteMember({ body: { email, role } });
          return shown(invited, [inviteRow(invited)]);
        },
      }),
      action<{ invitation: string }>({
        name: 'resend',
        summary: 'send an invitation again',
        arguments: [INVITE],
        run: async (api, { invitation }) => {
          const { id } = await findOne('invitation', invitation, byAddress(invites(api)));
          const sent = await api.resendInvite({ parameters: { id } });
          return shown(sent, [inviteRow(sent)]);
        },
      }),
      action<{ invitation: string }>({
        name: 'withdraw',
        summary: 'withdraw an invitation',
        arguments: [INVITE],
        run: async (api, { invitation }) => {
          const { id, email } = await findOne('invitation', invitation, byAddress(invites(api)));
          await api.withdrawInvite({ parameters: { id } });
          return done(email, 'invitation withdrawn', { id });
        },
      }),
      action<{ member: string; role: Role }>({
        name: 'change',
        aliases: ['role'],
        summary: 'change the role of a member',
        arguments: [MEMBER, ['<role>', 'admin, member or viewer']],
        run: async (api, { member, role }) => {
          const { id } = await findOne('member', member, byAddress(members(api)));
          const changed = await api.changeMember({ parameters: { id }, body: { role } });
          return shown(changed, [memberRow(changed)]);
        },
      }),
      action({
        name: 'ownership',
        summary: 'show the owner and the pending offer of ownership',
        run: async (api) => {
          const found = await api.showOwnership();
          return shown(found, ownershipRows(found));
        },
      }),
      action<{ member: string }>({
        name: 'remove',
        aliases: ['delete'],
        summary: 'remove a member, with the API keys and access tokens of this member here',
        arguments: [MEMBER],
        run: async (api, { member }) => {
          const { id, email } = await findOne('member', member, byAddress(members(api)));
          await api.removeMember({ parameters: { id } });
          return done(email, 'removed', { id });
        },
      }),
    ],
  });
}

function ownershipRows({ owner, offer }: Ownership): FactRow[] {
  const offered = offer === null ? 'no' : `to ${offer.member.email}  until ${offer.expires_at}`;
  return [
    { label: 'owner', text: `${owner.email}  ${owner.id}` },
    { label: 'offered', text: offered },
  ];
}

function members(api: ApiClient) {
  return (cursor: string | undefined) => api.listMembers({ query: { limit: 100, cursor } });
}

function invites(api: ApiClient) {
  return (cursor: string | undefined) => api.listInvites({ query: { limit: 100, cursor } });
}

/** People are found by their address. */
function byAddress<Item extends { readonly id: string; readonly email: string }>(
  page: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly Item[]; readonly next_cursor: string | null }>,
) {
  return async (cursor: string | undefined) => {
    const { items, next_cursor } = await page(cursor);
    return { items: items.map((item) => ({ ...item, name: item.email })), next_cursor };
  };
}

function memberRow({ id, email, role, joined_at: at }: Member): FactRow {
  return { label: email, text: `${role.padEnd('member'.length)}  joined ${at}  ${id}` };
}

function inviteRow({ id, email, role, status, expires_at: until }: Invite): FactRow {
  return { label: email, text: `${role.padEnd('member'.length)}  ${status}  until ${until}  ${id}` };
}
