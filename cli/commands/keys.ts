import type { ApiClient } from '@svc/core/api/client/client-of';
import type { Command } from 'commander';
import { action, done, listed, secretOnce, shown } from '../resource/action.ts';
import { findOne } from '../resource/find-one.ts';
import { readDuration, readTime } from '../resource/read-time.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type ApiKey = Awaited<ReturnType<ApiClient['listApiKeys']>>['items'][number];

const KEY = ['<key>', 'the id or the name of the key'] as const;

/** `svc keys`: API keys, with which programs call endpoints. */
export function keysCommand(): Command {
  return resourceCommand({
    name: 'keys',
    examples: [
      'svc keys                                      list API keys',
      'svc keys create ci --endpoint deploy > key    a key that may only call deploy',
      'svc keys create trial --expires 30d',
      'svc keys rotate ci > key                      the previous token works for one more day',
      'svc keys revoke ci',
    ],
    notes: ['Members manage the keys that they created. Owners and admins manage all.'],
    actions: [
      action({
        name: 'list',
        summary: 'list API keys',
        isDefault: true,
        run: (api) => listed(pages(api), (key) => rowOf(key), 'no API keys'),
      }),
      action<{ key: string }>({
        name: 'show',
        summary: 'show an API key, without its token',
        arguments: [KEY],
        run: async (api, { key }) => {
          const found = await findOne('API key', key, pages(api));
          return shown(found, [rowOf(found), ...factsOf(found)]);
        },
      }),
      action<{ name: string; endpoint?: readonly string[]; expires?: string }>({
        name: 'create',
        summary: 'create an API key and print its token once',
        arguments: [['<name>', 'a name for the key']],
        options: [
          ['--endpoint <slug...>', 'the only endpoints that the key may call'],
          ['--expires <time>', 'when the key expires: 12h, 30d or an RFC 3339 time', readTime],
        ],
        run: async (api, { name, endpoint, expires }) => {
          const key = await api.makeApiKey({
            body: {
              name,
              ...(endpoint === undefined ? {} : { endpoints: [...endpoint] }),
              ...(expires === undefined ? {} : { expires_at: expires }),
            },
          });
          return secretOnce(key, key.token);
        },
      }),
      action<{ key: string; overlap?: number }>({
        name: 'rotate',
        aliases: ['change'],
        summary: 'replace the token of an API key and print the new one once',
        arguments: [KEY],
        options: [
          ['--overlap <duration>', 'how long the previous token still works (default: 1d)', readDuration],
        ],
        run: async (api, { key, overlap }) => {
          const { id } = await findOne('API key', key, pages(api));
          const body = overlap === undefined ? {} : { overlap_s: overlap };
          const rotated = await api.rotateApiKey({ parameters: { id }, body });
          return secretOnce(rotated, rotated.token);
        },
      }),
      action<{ key: string }>({
        name: 'revoke',
        aliases: ['delete'],
        summary: 'revoke an API key',
        arguments: [KEY],
        run: async (api, { key }) => {
          const { id, name } = await findOne('API key', key, pages(api));
          await api.revokeApiKey({ parameters: { id } });
          return done(name, 'revoked', { id });
        },
      }),
    ],
  });
}

function pages(api: ApiClient) {
  return (cursor: string | undefined) => api.listApiKeys({ query: { limit: 100, cursor } });
}

function rowOf({ id, name, last4, endpoints, expires_at, revoked_at }: ApiKey): FactRow {
  const scope = endpoints === null ? 'all endpoints' : endpoints.join(', ');
  const end = expires_at === null ? '' : `, until ${expires_at}`;
  const state = revoked_at === null ? `${scope}${end}` : 'revoked';
  return { label: name, text: `…${last4}  ${state}  ${id}` };
}

function factsOf({ created_at, last_used_at, previous }: ApiKey): FactRow[] {
  const still = previous === null ? [] : [`…${previous.last4} works until ${previous.works_until}`];
  return [`created ${created_at}`, `last used ${last_used_at ?? 'never'}`, ...still].map((text) => ({
    label: '',
    text,
  }));
}
