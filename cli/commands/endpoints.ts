import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteBodyOf } from '@svc/core/api/routes';
import type { Command } from 'commander';
import { rollBack } from '../endpoints/roll-back.ts';
import { plural } from '../plural.ts';
import { action, done, listed, shown } from '../resource/action.ts';
import { type Fields, objectOf, readFields } from '../resource/fields.ts';
import { readCount } from '../resource/read-count.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Endpoint = Awaited<ReturnType<ApiClient['showEndpoint']>>;
type Version = Awaited<ReturnType<ApiClient['listEndpointVersions']>>['items'][number];

const ENDPOINT = ['<endpoint>', 'the name of the endpoint'] as const;
const FIELDS = [
  '<fields...>',
  'the keys of svc.yaml as key=text or key:=json; @file or - for a whole JSON object',
  readFields,
] as const;

/** `svc endpoints`: what can be called. */
export function endpointsCommand(): Command {
  return resourceCommand({
    name: 'endpoints',
    examples: [
      'svc endpoints                                                   list endpoints',
      'svc endpoints show deploy                                       command, arguments, agent, overrides',
      "svc endpoints create space command='df -P {{path}}' timeout:=10",
      'svc endpoints create space @space.json',
      'svc endpoints change deploy timeout:=90 approval_required:=true',
      'svc endpoints change deploy timeout:=null                       remove the override',
      'svc endpoints versions deploy',
      'svc endpoints rollback deploy                                   to the version before',
      'svc endpoints rollback deploy 3                                 to version 3',
      'svc endpoints delete space',
      'svc explain endpoints.timeout                                   what a key means',
    ],
    notes: [
      'For an endpoint from the file of an agent, command, args, env, cwd, transform and agent_name change in the file. All other\n' +
        'keys can be overridden here. svc apply creates and changes endpoints from a svc.yaml. Only people who may edit endpoints\n' +
        'change them.',
    ],
    actions: [
      action<{ search?: string }>({
        name: 'list',
        summary: 'list endpoints',
        isDefault: true,
        options: [
          ['--search <text>', 'only endpoints whose name, description or command contains this text'],
        ],
        run: (api, { search }) =>
          listed(
            (cursor) => api.listEndpoints({ query: { limit: 100, cursor, search } }),
            rowsOf,
            'no endpoints',
          ),
      }),
      action<{ endpoint: string }>({
        name: 'show',
        summary: 'show an endpoint',
        arguments: [ENDPOINT],
        run: async (api, { endpoint: name }) => {
          const found = await api.showEndpoint({ parameters: { name } });
          return shown(found, [...rowsOf(found), ...factsOf(found)]);
        },
      }),
      action<{ endpoint: string; fields: Fields }>({
        name: 'create',
        summary: 'create an endpoint that an agent or the hosted runner runs',
        arguments: [ENDPOINT, FIELDS],
        run: async (api, { endpoint: name, fields }) => {
          // The service checks the fields.
          const body = { name, ...objectOf(fields) } as RouteBodyOf<'createEndpoint'>;
          const created = await api.createEndpoint({ body });
          return shown(created, rowsOf(created));
        },
      }),
      action<{ endpoint: string; fields: Fields; ifVersion?: number }>({
        name: 'change',
        summary: 'change an endpoint; null removes a key',
        arguments: [ENDPOINT, FIELDS],
        options: [['--if-version <number>', 'only if this is still the version', readCount]],
        run: async (api, { endpoint: name, fields, ifVersion }) => {
          const version = ifVersion === undefined ? {} : { version: ifVersion };
          const body = { ...objectOf(fields), ...version } as RouteBodyOf<'changeEndpoint'>;
          const changed = await api.changeEndpoint({ parameters: { name }, body });
          return shown(changed, rowsOf(changed));
        },
      }),
      action<{ endpoint: string }>({
        name: 'delete',
        summary: 'delete an endpoint; running executions continue',
        arguments: [ENDPOINT],
        run: async (api, { endpoint: name }) => {
          await api.deleteEndpoint({ parameters: { name } });
          return done(name, 'deleted', { name });
        },
      }),
      action<{ endpoint: string }>({
        name: 'versions',
        summary: 'list the versions of an endpoint, newest first',
        arguments: [ENDPOINT],
        run: (api, { endpoint: name }) =>
          listed(
            (cursor) => api.listEndpointVersions({ parameters: { name }, query: { limit: 100, cursor } }),
            versionRow,
            'no versions',
          ),
      }),
      action<{ endpoint: string; version?: number }>({
        name: 'rollback',
        summary: 'make an earlier version of an endpoint the newest one',
        arguments: [ENDPOINT, ['[version]', 'the version (default: the one before the newest)', readCount]],
        run: async (api, { endpoint, version }) => {
          const { to, endpoint: changed } = await rollBack(api, endpoint, version);
          return done(endpoint, `is as in version ${to} again, now version ${changed.version}`, changed);
        },
      }),
    ],
  });
}

function rowsOf({
  slug,
  url,
  command,
  agent_name: agent,
  agent_status: status,
  source,
}: Endpoint): FactRow[] {
  const from = source === 'config' ? 'from its file' : 'created here';
  return [
    { label: slug, text: url, ...(status === 'online' ? {} : { tone: 'warning' as const }) },
    { label: '', text: `${command.trim()}  (agent ${agent} ${status.replace('_', ' ')}, ${from})` },
  ];
}

function factsOf(endpoint: Endpoint): FactRow[] {
  const { version, timeout, args, overrides, schedule, approval_required, waits_for, warnings, description } =
    endpoint;
  const facts = [
    ...(description === null ? [] : [description]),
    ...args.map(
      ({ name, type, required, default: value, accepts }) =>
        `${name}: ${type}${required ? ', required' : ''}${value === undefined ? '' : `, default ${JSON.stringify(value)}`}; ${accepts}`,
    ),
    `version ${version}, timeout ${timeout} s${approval_required ? ', needs approval' : ''}`,
    ...(schedule === null ? [] : [`schedule ${schedule} (UTC)`]),
    ...Object.entries(overrides).map(([key, value]) => `override ${key}: ${JSON.stringify(value)}`),
    ...waits_for.map(({ reason }) => reason),
    ...warnings,
  ];
  return facts.map((text) => ({ label: '', text }));
}

function versionRow({ version, created_at: at, definition, overrides }: Version): FactRow {
  const changed = Object.keys(overrides).length;
  const over = changed === 0 ? '' : `  ${plural(changed, 'override')}`;
  return { label: String(version), text: `${at}  ${String(definition.command).trim()}${over}` };
}
