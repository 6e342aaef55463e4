import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { action, done, listed, shown } from '../resource/action.ts';
import { resourceCommand } from '../resource/resource.ts';
import {
  allGrants,
  decideGrant,
  grantRow,
  SECRET_GRANT_STATES,
  type ShownGrantState,
} from '../secrets/grants.ts';
import { readSecretValue } from '../secrets/read-value.ts';
import type { FactRow } from '../terminal.ts';

type Secret = Awaited<ReturnType<ApiClient['listSecrets']>>['items'][number];

const SECRET = ['<secret>', 'the name of the secret'] as const;
const WHO = ['<who>', 'the name of the agent or of the endpoint, or the id in the list of grants'] as const;

/** `svc secrets`: managed secrets, and which agents and endpoints may use them. */
export function secretsCommand(): Command {
  return resourceCommand({
    name: 'secrets',
    examples: [
      'svc secrets                               list secrets, without their values',
      'svc secrets set DEPLOY_TOKEN              type the value; it is not shown',
      'pass show deploy | svc secrets set DEPLOY_TOKEN -',
      'svc secrets set TLS_KEY @key.pem --agent web-1',
      'svc secrets delete DEPLOY_TOKEN',
      'svc secrets grants --state waiting        list requests for access that wait',
      'svc secrets allow DEPLOY_TOKEN build-1    allow agent build-1 to read the secret',
      'svc secrets allow DEPLOY_TOKEN deploy     allow the public or scheduled endpoint deploy to use the secret',
      'svc secrets refuse DEPLOY_TOKEN build-1   refuse access, also if it was allowed before',
    ],
    notes: [
      'A value comes from the terminal, from standard input or from a file, never from the command line. One line break at the\n' +
        'end of standard input is removed. A file is taken as it is. Only owners and admins manage secrets.',
    ],
    actions: [
      action({
        name: 'list',
        summary: 'list secrets, without their values',
        isDefault: true,
        run: async (api) => listed(pages(api), rowOf(await memberNames(api)), 'no secrets'),
      }),
      action<{ secret: string }>({
        name: 'show',
        summary: 'show a secret, without its value, and its grants',
        arguments: [SECRET],
        run: async (api, { secret }) => {
          const found = await findSecret(api, secret);
          const grants = (await allGrants(api)).filter((grant) => grant.secret === secret);
          return shown({ ...found, grants }, [rowOf(await memberNames(api))(found), ...grants.map(grantRow)]);
        },
      }),
      action<{ secret: string; value?: string; agent?: readonly string[] }>({
        name: 'set',
        aliases: ['create', 'change'],
        summary: 'create or replace a secret',
        arguments: [SECRET, ['[value]', '@file, or - for standard input; without it, the terminal asks']],
        options: [['--agent <name...>', 'the only agents whose commands may use it']],
        run: async (api, { secret, value: given, agent }) => {
          const value = await readSecretValue(secret, given);
          const agents = agent === undefined ? {} : { agents: [...agent] };
          await api.setSecret({ parameters: { secret }, body: { value, ...agents } });
          return done(secret, 'set', { name: secret });
        },
      }),
      action<{ secret: string }>({
        name: 'delete',
        summary: 'delete a secret',
        arguments: [SECRET],
        run: async (api, { secret }) => {
          await api.deleteSecret({ parameters: { secret } });
          return done(secret, 'deleted', { name: secret });
        },
      }),
      action<{ state?: ShownGrantState }>({
        name: 'grants',
        summary: 'list who may use which secret, waiting requests first',
        // The service checks the state.
        options: [['--state <state>', `only those in this state: ${SECRET_GRANT_STATES.join(', ')}`]],
        run: async (api, { state }) => {
          const all = await allGrants(api, state);
          const waiting = all.filter((grant) => grant.state === 'waiting');
          const others = all.filter((grant) => grant.state !== 'waiting');
          return listed(onePage([...waiting, ...others]), grantRow, 'no grants');
        },
      }),
      ...(['allow', 'refuse'] as const).map((decision) =>
        action<{ secret: string; who: string }>({
          name: decision,
          summary: `${decision} the use of a secret`,
          arguments: [SECRET, WHO],
          run: async (api, { secret, who }) => {
            const decided = await decideGrant(api, decision, { secret, who });
            return listed(onePage(decided), grantRow, 'no grants');
          },
        }),
      ),
    ],
  });
}

function pages(api: ApiClient) {
  return (cursor: string | undefined) => api.listSecrets({ query: { limit: 100, cursor } });
}

function onePage<Item>(items: readonly Item[]) {
  return () => Promise.resolve({ items, next_cursor: null });
}

async function findSecret(api: ApiClient, name: string): Promise<Secret> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await pages(api)(cursor);
    const found = items.find((one) => one.name === name);
    if (found !== undefined) return found;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  throw new Failure(`there is no secret "${name}"`, { tip: 'svc secrets', code: 'not_found' });
}

function rowOf(nameOf: (id: string) => string) {
  return ({ name, agents, updated_at: at, updated_by: by }: Secret): FactRow => {
    const scope = agents === null ? 'all agents' : `only ${agents.join(', ')}`;
    return { label: name, text: `${scope}  set ${at} by ${nameOf(by)}` };
  };
}

/** The e-mail address of the owner or a member by the id of the account. */
async function memberNames(api: ApiClient): Promise<(id: string) => string> {
  const emails = new Map<string | undefined, string>();
  let cursor: string | undefined;
  do {
    const { items, owner, next_cursor: next } = await api.listMembers({ query: { limit: 100, cursor } });
    for (const { id, email } of [owner, ...items]) emails.set(id, email);
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  // A hub of an earlier version does not say the id of the owner.
  const other = emails.has(undefined) ? 'the owner or a former member' : 'a former member';
  return (id) => emails.get(id) ?? other;
}
