import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteBodyOf } from '@svc/core/api/routes';
import type { Command } from 'commander';
import { Failure } from '../failure.ts';
import { action, done, listed, secretOnce, shown } from '../resource/action.ts';
import { findOne } from '../resource/find-one.ts';
import { readHidden } from '../resource/input.ts';
import { readCount } from '../resource/read-count.ts';
import { resourceCommand } from '../resource/resource.ts';
import type { FactRow } from '../terminal.ts';

type Alert = Awaited<ReturnType<ApiClient['showAlert']>>;
type Delivery = Awaited<ReturnType<ApiClient['listAlertDeliveries']>>['items'][number];
type NewAlert = RouteBodyOf<'makeAlert'>;
type AlertChange = RouteBodyOf<'changeAlert'>;

interface Filters {
  readonly endpoint?: string;
  readonly agent?: string;
  readonly target?: string;
  readonly noSuccessMins?: number;
}

const ALERT = ['<alert>', 'the id or the name of the rule'] as const;
const TARGET = ['--target <where>', 'an e-mail address; a URL as @file, or - for standard input'] as const;
const ENDPOINT = ['--endpoint <slug>', 'only events of this endpoint or pipeline'] as const;
const NO_SUCCESS_MINS = [
  '--no-success-mins <minutes>',
  'for the event no_success_since, with --endpoint: the minutes without a success',
  readCount,
] as const;
const AGENT = ['--agent <name>', 'only events of this agent'] as const;

/** `svc alerts`: rules that send alerts on events. */
export function alertsCommand(): Command {
  return resourceCommand({
    name: 'alerts',
    examples: [
      'svc alerts                                        list alert rules',
      'svc alerts create "on call" --event execution.failed agent.offline --target ada@example.com',
      'svc alerts create chat --channel slack --event execution.failed --target @slack-url',
      'svc alerts create stale --event no_success_since --endpoint backup --no-success-mins 1500 --target ada@example.com',
      'svc alerts create hook --event execution.failed --target - < url > signing-secret',
      'svc alerts change chat --disable',
      'svc alerts test chat                              send a test now',
      'svc alerts deliveries chat                        what was sent, and what failed',
      'svc alerts delete chat',
    ],
    notes: [
      'The URL of a webhook or a chat is a secret, so it comes from a file or from standard input. svc alerts create prints the\n' +
        'secret that signs a webhook, once. Only people who may edit endpoints manage alerts.',
    ],
    actions: [
      action({
        name: 'list',
        summary: 'list alert rules',
        isDefault: true,
        run: (api) => listed(pages(api), rowOf, 'no alert rules'),
      }),
      action<{ alert: string }>({
        name: 'show',
        summary: 'show an alert rule',
        arguments: [ALERT],
        run: async (api, { alert }) => {
          const found = await findOne('alert rule', alert, pages(api));
          return shown(found, [rowOf(found), { label: '', text: `created ${found.created_at}` }]);
        },
      }),
      action<{ name: string; event: readonly string[]; channel?: string } & Filters>({
        name: 'create',
        summary: 'create an alert rule',
        arguments: [['<name>', 'a name for the rule']],
        options: [
          ['--event <event...>', 'the events that cause an alert, such as execution.failed (required)'],
          TARGET,
          ['--channel <channel>', 'webhook, slack or email (default: email for an address, else webhook)'],
          ENDPOINT,
          AGENT,
          NO_SUCCESS_MINS,
        ],
        run: async (api, { name, event, channel, target: given, endpoint, agent, noSuccessMins }) => {
          const target = targetOf(given);
          if (target === undefined) throw new Failure('an alert rule needs --target');
          // The service checks events and channel.
          const body = {
            name,
            events: event,
            channel: channel ?? (target.includes('://') ? 'webhook' : 'email'),
            target,
            ...definedOf({ endpoint, agent, no_success_mins: noSuccessMins }),
          } as NewAlert;
          const made = await api.makeAlert({ body });
          return made.secret === null ? shown(made, [rowOf(made)]) : secretOnce(made, made.secret);
        },
      }),
      action<
        { alert: string; name?: string; event?: readonly string[]; enable?: true; disable?: true } & Filters
      >({
        name: 'change',
        summary: 'change an alert rule',
        arguments: [ALERT],
        options: [
          ['--name <name>', 'another name'],
          ['--event <event...>', 'the events, instead of those before'],
          TARGET,
          [ENDPOINT[0], `${ENDPOINT[1]}; an empty text removes the filter`],
          [AGENT[0], `${AGENT[1]}; an empty text removes the filter`],
          NO_SUCCESS_MINS,
          ['--enable', 'send alerts again'],
          ['--disable', 'send no alerts'],
        ],
        run: async (api, { alert, name, event, target, endpoint, agent, noSuccessMins, enable, disable }) => {
          const { id } = await findOne('alert rule', alert, pages(api));
          const body = definedOf({
            name,
            events: event,
            target: targetOf(target),
            endpoint: endpoint === '' ? null : endpoint,
            agent: agent === '' ? null : agent,
            // Other events than no_success_since have no such time.
            no_success_mins: event?.includes('no_success_since') === false ? null : noSuccessMins,
            enabled: disable ? false : enable,
          }) as AlertChange;
          const changed = await api.changeAlert({ parameters: { id }, body });
          return shown(changed, [rowOf(changed)]);
        },
      }),
      action<{ alert: string }>({
        name: 'delete',
        summary: 'delete an alert rule and its waiting alerts',
        arguments: [ALERT],
        run: async (api, { alert }) => {
          const { id, name } = await findOne('alert rule', alert, pages(api));
          await api.deleteAlert({ parameters: { id } });
          return done(name, 'deleted', { id });
        },
      }),
      action<{ alert: string }>({
        name: 'rotate',
        summary:
          'create a new secret for a webhook and print it once; the previous one signs for 24 hours more',
        arguments: [ALERT],
        run: async (api, { alert }) => {
          const { id } = await findOne('alert rule', alert, pages(api));
          const rotated = await api.rotateAlertSecret({ parameters: { id } });
          return secretOnce(rotated, rotated.secret);
        },
      }),
      action<{ alert: string }>({
        name: 'test',
        summary: 'send a test to an alert rule',
        arguments: [ALERT],
        run: async (api, { alert }) => {
          const { id, name } = await findOne('alert rule', alert, pages(api));
          const sent = await api.testAlert({ parameters: { id } });
          return done(name, `test is being sent; see svc alerts deliveries ${id}`, sent);
        },
      }),
      action<{ alert: string }>({
        name: 'deliveries',
        summary: 'list the deliveries of an alert rule, newest first',
        arguments: [ALERT],
        run: async (api, { alert }) => {
          const { id } = await findOne('alert rule', alert, pages(api));
          const page = (cursor: string | undefined) =>
            api.listAlertDeliveries({ parameters: { id }, query: { limit: 100, cursor } });
          return listed(page, deliveryRow, 'no deliveries');
        },
      }),
    ],
  });
}

function pages(api: ApiClient) {
  return (cursor: string | undefined) => api.listAlerts({ query: { limit: 100, cursor } });
}

/** A URL often contains a secret, so it may not stand on the command line; an address may. */
function targetOf(given: string | undefined): string | undefined {
  if (given === undefined || /^[^\s@<>"]+@[^\s@<>"]+$/.test(given)) return given;
  return readHidden('the URL of an alert', given).trim();
}

function definedOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function rowOf(alert: Alert): FactRow {
  const { id, name, events, endpoint, agent, channel, target, enabled, problem } = alert;
  const only = [endpoint, agent].filter((one) => one !== null);
  const scope = only.length === 0 ? '' : ` of ${only.join(' and ')}`;
  const wait = alert.no_success_mins === null ? '' : ` for ${alert.no_success_mins} minutes`;
  const from = alert.source === 'config' ? '  from a file' : '';
  const state = `${enabled ? '' : '  disabled'}${problem === null ? '' : `  cannot send: ${problem}`}`;
  const text = `${channel} ${target}  ${events.join(', ')}${scope}${wait}${from}${state}  ${id}`;
  return { label: name, text, ...(enabled && problem === null ? {} : { tone: 'warning' as const }) };
}

function deliveryRow({ id, event, state, tries, created_at: at, error }: Delivery): FactRow {
  const why = error === null || state === 'delivered' ? '' : `  ${error}`;
  const text = `${at}  ${event}  ${state}, tried ${tries === 1 ? 'once' : `${tries} times`}${why}`;
  return { label: id, text, ...(state === 'given_up' ? { tone: 'error' as const } : {}) };
}
