import { readConfig } from '@svc/agent/config-source';
import type { ApiClient } from '@svc/core/api/client/client-of';
import type { RouteBodyOf } from '@svc/core/api/routes';
import type { Config } from '@svc/core/config/parse-config';
import { codeNotices } from '@svc/core/endpoint/explain';
import { visibleText } from '@svc/core/text/visible-text';
import { formatProblems, requireConfig } from '../config.ts';
import { Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findServiceOfMember } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { writeRows } from '../terminal.ts';
import { withSelectsChecked } from '../validate/select-problems.ts';
import { type PlannedChange, planChanges } from './plan-changes.ts';

export interface ApplyOptions extends ServiceOptions {
  readonly file: string;
  readonly dryRun?: true;
}

const MARKS = { create: '+', change: '~', unchanged: '=', refused: '!' } as const;

/** `svc apply`: shows what differs between a file and the service, then creates and changes it there. */
export async function apply({ file, dryRun, json, ...where }: ApplyOptions): Promise<void> {
  const isJson = json === true;
  const { config, warnings } = requireConfig(await withSelectsChecked(file, readConfig(file, [])), file);
  const codes = config.endpoints.flatMap((endpoint) =>
    codeNotices(endpoint).map(({ argument, message }) => `${endpoint.slug}: ${argument}: ${message}`),
  );
  warn('file', file, [...formatProblems(file, warnings), ...codes, ...alertNotices(config)], isJson);
  const api = apiOf(findServiceOfMember(where, process.env));
  const planned = await orFail(planChanges(api, config));
  const refused = planned.filter(({ action }) => action === 'refused');
  for (const one of planned) print(one, isJson);
  if (refused.length > 0)
    throw new Failure(
      `${plural(refused.length, 'definition')} of the file of an agent: nothing was changed`,
      {
        tip: 'change the file of the agent, or use another name',
        code: 'managed_by_config',
      },
    );
  if (dryRun) return;
  for (const one of planned) warn(one.kind, one.name, await orFail(carryOut(api, one)), isJson);
}

/** Alerts belong to the file of an agent (decision 70, alert rules in a file). */
function alertNotices({ endpoints }: Pick<Config, 'endpoints'>): string[] {
  return endpoints.flatMap(({ slug, alerts }) =>
    alerts === undefined
      ? []
      : [`${slug}: alerts are left out, because an agent with the file declares them: use svc alerts create`],
  );
}

/** Warnings of the file and of the service, as `svc validate` and the log of an agent show them. */
function warn(
  kind: PlannedChange['kind'] | 'file',
  name: string,
  warnings: readonly string[],
  isJson: boolean,
): void {
  if (warnings.length === 0) return;
  if (isJson) process.stdout.write(`${JSON.stringify({ kind, name, warnings })}\n`);
  else
    writeRows(
      process.stderr,
      warnings.map((text) => ({ label: 'warning', text, tone: 'warning' })),
    );
}

function print({ version: _, definition: _all, ...shown }: PlannedChange, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(shown)}\n`);
    return;
  }
  const { kind, name, action, changes, agent } = shown;
  const from = action === 'refused' ? `  from the file of agent ${agent}` : '';
  const lines = Object.entries(changes)
    .filter(([key]) => key !== 'name' && key !== 'slug')
    .map(([key, { from, to }]) =>
      action === 'create' ? `    ${key}: ${textOf(to)}` : `    ${key}: ${textOf(from)} -> ${textOf(to)}`,
    );
  process.stdout.write([`${MARKS[action]} ${kind} ${name}${from}`, ...lines, ''].join('\n'));
}

function textOf(value: unknown): string {
  if (value === null) return '(none)';
  return visibleText(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * A key that the file does not have is removed. The version keeps a change of someone else from being overwritten. Returns the
 * warnings of the service.
 */
async function carryOut(api: ApiClient, planned: PlannedChange): Promise<readonly string[]> {
  const { kind, name, action, changes, definition, version } = planned;
  // The rules of the file are those of the service, which checks again.
  const keys = Object.keys(changes);
  const changed = { ...Object.fromEntries(keys.map((key) => [key, definition[key] ?? null])), version };
  if (action !== 'create' && action !== 'change') return [];
  if (kind === 'endpoint') {
    const { warnings, waits_for } =
      action === 'create'
        ? await api.createEndpoint({ body: definition as RouteBodyOf<'createEndpoint'> })
        : await api.changeEndpoint({
            parameters: { name },
            body: changed as RouteBodyOf<'changeEndpoint'>,
          });
    return [...warnings, ...waits_for.map(({ reason }) => `"${name}" waits: ${reason}`)];
  }
  const { problems } =
    action === 'create'
      ? await api.createPipeline({ body: definition as RouteBodyOf<'createPipeline'> })
      : await api.changePipeline({
          parameters: { slug: name },
          body: changed as RouteBodyOf<'changePipeline'>,
        });
  return problems.map(({ path, message }) => `pipeline "${name}" is not ready: ${path}: ${message}`);
}
