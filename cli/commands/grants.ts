import type { ApiClient } from '@svc/core/api/client/client-of';
import {
  ENDPOINT_ACCESS,
  ENDPOINT_ACTIONS,
  type EndpointAccess,
  type EndpointAction,
} from '@svc/core/workspace/endpoint-rights';
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { action, done, listed, shown } from '../resource/action.ts';
import { findOne } from '../resource/find-one.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Grant = Awaited<ReturnType<ApiClient['listEndpointGrants']>>['items'][number];
type GranteeKind = Grant['grantee_kind'];

/** For whom a grant is; exactly one of them is given. */
interface WhoOptions {
  readonly member?: string;
  readonly group?: string;
  readonly serviceAccount?: string;
}

const MEMBER = ['--member <member>', 'for the member with this e-mail address or id'] as const;
const ACCOUNT = ['--service-account <account>', 'for the service account with this name or id'] as const;

/** `svc grants`: rights on endpoints, beside the roles of members. */
export function grantsCommand(): Command {
  return resourceCommand({
    name: 'grants',
    examples: [
      'svc grants                                              list grants',
      "svc grants add 'deploy-*' tag:reports --member lin@example.com --can run",
      'svc grants add deploy --group platform --can run approve',
      'svc grants add deploy --service-account ci --can run',
      'svc grants remove 019a9f3d-0c55-7b42-a1b7-0d2e6f8a9b33',
      'svc grants rights --member lin@example.com              list what a member may do in effect',
      'svc grants access                                       show what members have without a grant',
      'svc grants access by_grants                             limit members and viewers to their grants',
    ],
    notes: [
      'An endpoint is a slug, a pattern such as "deploy-*", or "tag:" and such a tag. Only owners and admins manage grants.',
    ],
    actions: [
      action({
        name: 'list',
        summary: 'list grants on endpoints',
        isDefault: true,
        run: (api) => listed(grants(api), grantRow, 'no grants'),
      }),
      action<WhoOptions & { endpoints: string[]; can?: EndpointAction[] }>({
        name: 'add',
        aliases: ['create'],
        summary: 'grant rights on endpoints',
        arguments: [['<endpoints...>', 'slugs, patterns or tags']],
        options: [
          MEMBER,
          ['--group <group>', 'for the members in this group of the sign-in provider'],
          ACCOUNT,
          // The service checks the rights.
          ['--can <rights...>', `${ENDPOINT_ACTIONS.join(', ')}; default: view`],
        ],
        run: async (api, { endpoints, can = ['view'], ...who }) => {
          const { kind, grantee } = await granteeOf(api, who);
          const body = { grantee_kind: kind, grantee, endpoints: [...endpoints], can: [...can] };
          const made = await api.makeEndpointGrant({ body });
          return shown(made, [grantRow(made)]);
        },
      }),
      action<{ grant: string }>({
        name: 'remove',
        aliases: ['delete'],
        summary: 'withdraw a grant',
        arguments: [['<grant>', 'the id of the grant']],
        run: async (api, { grant: id }) => {
          await api.deleteEndpointGrant({ parameters: { id } });
          return done(id, 'withdrawn');
        },
      }),
      action<WhoOptions>({
        name: 'rights',
        summary: 'list the endpoints that a member or service account may use in effect',
        options: [MEMBER, ACCOUNT],
        run: async (api, who) => {
          const { grantee: id } = await granteeOf(api, who);
          const page = (cursor: string | undefined) =>
            api.listEndpointRights({ parameters: { id }, query: { limit: 100, cursor } });
          return listed(
            page,
            ({ endpoint, can }) => ({ label: endpoint, text: can.join(', ') }),
            'no endpoints',
          );
        },
      }),
      action<{ access?: EndpointAccess }>({
        name: 'access',
        summary: 'show or change which endpoints members and viewers have without a grant',
        // The service checks the value.
        arguments: [['[access]', `the new access: ${ENDPOINT_ACCESS.join(' or ')}`]],
        run: async (api, { access }) => {
          const answer =
            access === undefined
              ? await api.showEndpointAccess()
              : await api.setEndpointAccess({ body: { access } });
          return shown(answer, [{ label: 'access', text: answer.access }]);
        },
      }),
    ],
  });
}

function grants(api: ApiClient) {
  return (cursor: string | undefined) => api.listEndpointGrants({ query: { limit: 100, cursor } });
}

async function granteeOf(
  api: ApiClient,
  { member, group, serviceAccount }: WhoOptions,
): Promise<{ readonly kind: GranteeKind; readonly grantee: string }> {
  if ([member, group, serviceAccount].filter((one) => one !== undefined).length !== 1)
    throw new Failure('give exactly one of --member, --group and --service-account', { code: 'usage' });
  if (group !== undefined) return { kind: 'group', grantee: group };
  if (member !== undefined) {
    const { id } = await findOne('member', member, async (cursor) => {
      const { items, next_cursor } = await api.listMembers({ query: { limit: 100, cursor } });
      return { items: items.map((one) => ({ ...one, name: one.email })), next_cursor };
    });
    return { kind: 'member', grantee: id };
  }
  const { id } = await findOne('service account', serviceAccount ?? '', (cursor) =>
    api.listServiceAccounts({ query: { limit: 100, cursor } }),
  );
  return { kind: 'service_account', grantee: id };
}

function grantRow({ id, grantee_kind: kind, name, endpoints, can }: Grant): FactRow {
  const what = kind === 'member' ? '' : ` (${kind.replace('_', ' ')})`;
  return {
    label: `${name ?? 'not there any more'}${what}`,
    text: `${can.join(', ')}  ${endpoints.join(', ')}  ${id}`,
  };
}
