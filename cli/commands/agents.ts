import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { action, listed, shown } from '../resource/action.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Agent = Awaited<ReturnType<ApiClient['listAgents']>>['items'][number];

/** `svc agents`: the agents that are connected, or were connected in the last 30 days. */
export function agentsCommand(): Command {
  return resourceCommand({
    name: 'agents',
    examples: [
      'svc agents                                 list agents',
      'svc agents show build-1                    its machine, its version and its endpoints',
      'svc agents --json | jq -r \'select(.status == "offline") | .name\'',
    ],
    notes: [
      'An agent appears when it connects with a token of svc tokens. To remove one, stop it and revoke its token.',
    ],
    actions: [
      action({
        name: 'list',
        summary: 'list agents',
        isDefault: true,
        run: (api) => listed(pages(api), rowOf, 'no agents'),
      }),
      action<{ agent: string }>({
        name: 'show',
        summary: 'show the processes of an agent',
        arguments: [['<agent>', 'the name of the agent, or the id of one of its processes']],
        run: async (api, { agent }) => {
          const found = await processesOf(api, agent);
          return shown({ items: found }, found.flatMap(factsOf));
        },
      }),
    ],
  });
}

function pages(api: ApiClient) {
  return (cursor: string | undefined) => api.listAgents({ query: { limit: 100, cursor } });
}

/** Several processes may have one name: a pool. */
async function processesOf(api: ApiClient, agent: string): Promise<Agent[]> {
  const found: Agent[] = [];
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await pages(api)(cursor);
    found.push(...items.filter(({ name, id }) => name === agent || id === agent));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  if (found.length > 0) return found;
  throw new Failure(`there is no agent "${agent}"`, { tip: 'svc agents', code: 'not_found' });
}

function rowOf({ name, status, host, version, running, last_seen_at: seen }: Agent): FactRow {
  const now = status === 'online' ? `${running} running` : `last seen ${seen}`;
  const text = `${status.padEnd('offline'.length)}  ${host.hostname}  ${version}  ${now}`;
  return { label: name, text, ...(status === 'online' ? {} : { tone: 'warning' as const }) };
}

function factsOf(agent: Agent): FactRow[] {
  const { host, endpoints, local_only: localOnly, id, journal_damaged_at: damaged } = agent;
  const facts = [
    `process ${id}, ${host.os} ${host.arch}${localOnly ? ', runs only its own file' : ''}`,
    `${plural(endpoints.length, 'endpoint')}: ${endpoints.join(', ')}`,
    ...(damaged === null ? [] : [`began as a new instance at ${damaged}: its journal was damaged`]),
  ];
  return [rowOf(agent), ...facts.map((text) => ({ label: '', text }))];
}
