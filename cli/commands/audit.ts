import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteQuery } from '@svc/core/api/routes';
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { action, listed, shown } from '../resource/action.ts';
import { readCount } from '../resource/read-count.ts';
import { readPastTime } from '../resource/read-time.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Entry = Awaited<ReturnType<ApiClient['listAudit']>>['items'][number];

const DEFAULT_LIMIT = 20;

interface Filters {
  readonly action?: string;
  readonly actor?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
}

/** `svc audit`: who did what in the workspace. */
export function auditCommand(): Command {
  return resourceCommand({
    name: 'audit',
    examples: [
      'svc audit                                     the latest 20 entries',
      'svc audit --since 7d --limit 500',
      'svc audit --action api_key.made --json | jq -r .actor.name',
      'svc audit show 12                             one entry, with its details and hash',
    ],
    notes: [
      'The log cannot be changed: each entry holds the hash of the one before. svc admin verify-audit checks the chain, and\n' +
        'GET /audit/export has the whole log. Only owners and admins view it.',
    ],
    actions: [
      action<Filters>({
        name: 'list',
        summary: 'list the audit log, newest first',
        isDefault: true,
        options: [
          ['--action <action>', 'only entries of this action, such as api_key.made'],
          ['--actor <id>', 'only entries of the actor with this id'],
          ['--since <time>', 'only entries from then on: 12h, 7d or an RFC 3339 time', readPastTime],
          ['--until <time>', 'only entries before then', readPastTime],
          ['--limit <number>', `the maximum number of entries (default: ${DEFAULT_LIMIT})`, readCount],
        ],
        run: (api, { action: wanted, actor, since, until, limit = DEFAULT_LIMIT }) => {
          // The service checks the action.
          const query = { action: wanted as RouteQuery<'listAudit'>['action'], actor, from: since, until };
          const page = (cursor: string | undefined) =>
            api.listAudit({ query: { ...query, limit: Math.min(limit, 100), cursor } });
          return listed(page, rowOf, 'no entries', limit);
        },
      }),
      action<{ entry: number }>({
        name: 'show',
        summary: 'show an entry with its details',
        arguments: [['<entry>', 'the number of the entry', readCount]],
        run: async (api, { entry }) => {
          const found = await findEntry(api, entry);
          const { details, from, hash } = found;
          const facts = [
            `from ${from.address ?? 'this machine'}`,
            `details ${JSON.stringify(details)}`,
            `hash ${hash}`,
          ];
          return shown(found, [rowOf(found), ...facts.map((text) => ({ label: '', text }))]);
        },
      }),
    ],
  });
}

async function findEntry(api: ApiClient, seq: number): Promise<Entry> {
  let cursor: string | undefined;
  do {
    const { items, next_cursor: next } = await api.listAudit({ query: { limit: 100, cursor } });
    const found = items.find((one) => one.seq === seq);
    if (found !== undefined) return found;
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  throw new Failure(`there is no entry ${seq}`, { tip: 'svc audit', code: 'not_found' });
}

function rowOf({ seq, at, actor, words, target }: Entry): FactRow {
  const what = target === undefined || target === null ? '' : ` (${target.name ?? target.id})`;
  return { label: String(seq), text: `${at}  ${actor.name} ${words}${what}` };
}
