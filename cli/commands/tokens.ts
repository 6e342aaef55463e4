import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Command } from 'commander';
import { action, done, listed, secretOnce, shown } from '../resource/action.ts';
import { findOne } from '../resource/find-one.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type AgentToken = Awaited<ReturnType<ApiClient['listAgentTokens']>>['items'][number];

const TOKEN = ['<token>', 'the id or the name of the token'] as const;

/** `svc tokens`: agent tokens, with which agents connect. */
export function tokensCommand(): Command {
  return resourceCommand({
    name: 'tokens',
    examples: [
      'svc tokens                                            list agent tokens',
      'svc tokens create "build server" > agent-token        the first connection sets the name of the agent',
      'svc tokens create pool --agent build --pool | svc agent --name build --token-file -',
      'svc tokens create "build server" --enrolment          print the line that connects another machine',
      'svc tokens revoke "build server"                      close the connections of the token',
    ],
    notes: [
      'An agent token cannot change: create another one, then revoke this one. Only owners and admins manage tokens.',
    ],
    actions: [
      action({
        name: 'list',
        summary: 'list agent tokens',
        isDefault: true,
        run: (api) => listed(pages(api), rowOf, 'no agent tokens'),
      }),
      action<{ token: string }>({
        name: 'show',
        summary: 'show an agent token, without the token itself',
        arguments: [TOKEN],
        run: async (api, { token }) => {
          const found = await findOne('agent token', token, pages(api));
          return shown(found, [rowOf(found), { label: '', text: `created ${found.created_at}` }]);
        },
      }),
      action<{ name: string; agent?: readonly string[]; pool?: true; enrolment?: true }>({
        name: 'create',
        summary: 'create an agent token and print it once',
        arguments: [['<name>', 'a name for the token']],
        options: [
          ['--agent <name...>', 'the only agent names that the token accepts'],
          ['--enrolment', 'print a line that connects another machine, once and within 15 minutes'],
          ['--pool', 'every process that connects with the token may use the secrets of its agent'],
        ],
        run: async (api, { name, agent, pool, enrolment }) => {
          const made = await api.makeAgentToken({
            body: {
              name,
              ...(agent === undefined ? {} : { agent_names: [...agent] }),
              ...(pool === undefined ? {} : { pool }),
              ...(enrolment === undefined ? {} : { enrolment }),
            },
          });
          return secretOnce(made, made.connect_command ?? made.token);
        },
      }),
      action<{ token: string }>({
        name: 'revoke',
        aliases: ['delete'],
        summary: 'revoke an agent token and close its connections',
        arguments: [TOKEN],
        run: async (api, { token }) => {
          const { id, name } = await findOne('agent token', token, pages(api));
          await api.revokeAgentToken({ parameters: { id } });
          return done(name, 'revoked', { id });
        },
      }),
    ],
  });
}

function pages(api: ApiClient) {
  return (cursor: string | undefined) => api.listAgentTokens({ query: { limit: 100, cursor } });
}

function rowOf({ id, name, last4, agent_names: names, pool, revoked_at, enrol_until }: AgentToken): FactRow {
  const unused = enrol_until === null ? 'unused' : `enrolment until ${enrol_until}`;
  const agents = names.length === 0 ? unused : `agent ${names.join(', ')}`;
  const state = revoked_at === null ? `${agents}${pool ? ', pool' : ''}` : 'revoked';
  return { label: name, text: `…${last4}  ${state}  ${id}` };
}
