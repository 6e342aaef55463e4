import { ApiError } from '@svc/core/api/client/api-error';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { readJsonArguments } from '@svc/core/api/json/json-arguments';
import { commandText, shownCommand } from '@svc/core/approval/shown-command';
import type { Endpoint } from '@svc/core/endpoint/definition';
import { refuseArguments } from '@svc/core/endpoint/value/argument-problem';
import { collectValues } from '@svc/core/endpoint/value/collect-values';
import { matchValues } from '@svc/core/endpoint/value/resolve-values';
import { readDefinition } from '@svc/core/protocol/definition';
import { Refusal } from '@svc/core/refusal';
import { Failure } from '../failure.ts';
import { type Fields, objectText } from '../resource/fields.ts';
import { apiOf, orFail } from '../service/api.ts';
import type { Service } from '../service/service.ts';
import { type FactRow, writeRows } from '../terminal.ts';
import type { CallOptions } from './options.ts';

/** The command that a call would run, as far as this caller may know. */
interface Plan {
  readonly command?: string;
  readonly agent?: string;
  readonly needsApproval?: boolean;
}

/**
 * `svc call --dry-run`: prints the request and, for a member of the workspace, the command that would run. Nothing is called.
 * Values that the endpoint refuses end it with exit code 2.
 */
export async function dryRun(
  service: Service,
  url: string,
  values: Fields,
  { json }: CallOptions,
): Promise<void> {
  const body = objectText(values);
  const plan = await planOf(service, url, body);
  if (json) {
    const { command, agent, needsApproval } = plan ?? {};
    const line = {
      method: 'POST',
      url,
      body: JSON.parse(body),
      checked: plan !== undefined,
      ...(command === undefined ? {} : { command }),
      ...(agent === undefined ? {} : { agent_name: agent }),
      ...(needsApproval === undefined ? {} : { approval_required: needsApproval }),
    };
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  writeRows(process.stdout, [{ label: 'POST', text: url }, { label: 'body', text: body }, ...planRows(plan)]);
}

function planRows(plan: Plan | undefined): FactRow[] {
  if (plan === undefined)
    return [
      { label: 'unchecked', text: 'only a member of the workspace can view the endpoint', tone: 'warning' },
    ];
  const { command, agent, needsApproval } = plan;
  if (command === undefined) return [{ label: 'runs', text: 'a pipeline; see svc pipelines show' }];
  return [
    { label: 'runs', text: `${command}  (agent ${agent})` },
    ...(needsApproval ? [{ label: 'waits', text: 'for approval' }] : []),
  ];
}

/** Undefined: the caller may not view the endpoint, for example with an API key. */
async function planOf(service: Service, url: string, body: string): Promise<Plan | undefined> {
  const api = apiOf(service);
  const [username, name] = new URL(url).pathname.split('/').slice(-2);
  const workspace = await orUndefined(api.showWorkspace());
  if (workspace === undefined || workspace.username !== username || name === undefined) return undefined;
  const shown = await orUndefined(api.showEndpoint({ parameters: { name } }));
  if (shown === undefined) {
    await orFail(api.showPipeline({ parameters: { slug: name } }));
    return {};
  }
  const endpoint = await definitionOf(api, name);
  return {
    command: commandFor(endpoint, body),
    agent: shown.agent_name,
    needsApproval: shown.approval_required,
  };
}

/** Undefined for a refusal: not signed in, or not found. */
async function orUndefined<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return undefined;
    throw error;
  }
}

async function definitionOf(api: ApiClient, name: string): Promise<Endpoint> {
  const { items } = await orFail(api.listEndpointVersions({ parameters: { name }, query: { limit: 1 } }));
  const { definition, overrides } = items[0] ?? { definition: {}, overrides: {} };
  const read = readDefinition({ ...definition, ...overrides });
  if (read.kind === 'endpoint') return read.endpoint;
  throw new Failure(`this svc cannot read the endpoint: ${read.problems.join('; ')}`);
}

/** The command with its values, checked by the rules that the service checks them by. */
function commandFor(endpoint: Endpoint, body: string): string {
  try {
    const given = collectValues({ query: [], body: readJsonArguments(body) }, endpoint.args);
    const { values, problems } = matchValues(endpoint.args, given);
    if (problems.length > 0) throw refuseArguments(problems);
    return commandText(shownCommand(endpoint, Object.fromEntries(values)));
  } catch (error) {
    if (error instanceof Refusal) throw new Failure(error.message, { code: error.code });
    throw error;
  }
}
