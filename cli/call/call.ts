import { Failure } from '../failure.ts';
import { findService } from '../service/find-service.ts';
import { ask, refusalOf, type Service } from '../service/service.ts';
import { printRaw, writeRows } from '../terminal.ts';
import { type FollowedThing, follow } from './follow.ts';
import type { CallOptions } from './options.ts';
import { printEvent } from './print.ts';

type Values = readonly (readonly [string, string])[];

/** `svc call`: starts an execution or a run, and prints it; the exit code of the command becomes that of this program. */
export async function call(endpoint: string, values: Values, options: CallOptions): Promise<void> {
  if (options.raw) printRaw();
  const { service, url } = locate(endpoint, options);
  if (options.json) {
    await callBuffered(service, url, values);
    return;
  }
  const response = await send(service, url, values, { Prefer: 'respond-async' });
  tellHeld((await response.json()) as object);
  for await (const { event } of follow(service, startedBy(response)))
    process.exitCode = printEvent(event) ?? 0;
}

/** A pipeline is called as an endpoint is: the answer says what has begun. */
function startedBy({ headers }: Response): FollowedThing {
  const runId = headers.get('x-run-id');
  if (runId !== null) return { kind: 'run', id: runId };
  return { kind: 'execution', id: headers.get('x-execution-id') ?? '' };
}

async function callBuffered(service: Service, url: string, values: Values): Promise<void> {
  const response = await send(service, url, values, { Accept: 'application/json' });
  const text = await response.text();
  process.stdout.write(text);
  const { exit_code: exitCode } = JSON.parse(text) as { exit_code?: number };
  process.exitCode = exitCode ?? 0;
}

/** It waits for a person: whoever called has to know where that happens. */
function tellHeld(body: { readonly approve_url?: string; readonly message?: string }): void {
  if (body.approve_url === undefined) return;
  writeRows(process.stderr, [
    { label: 'waits', text: body.message ?? '' },
    { label: 'approve', text: body.approve_url },
  ]);
}

/** By POST; by GET where that is the only one. A method that is refused has run nothing. */
async function send(
  service: Service,
  url: string,
  values: Values,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const body = JSON.stringify(Object.fromEntries(values));
  const posted = await ask(service, url, {
    method: 'POST',
    body,
    headers: { ...headers, 'Content-Type': 'application/json' },
  });
  if (posted.ok) return posted;
  if (posted.status !== 405 || posted.headers.get('allow') !== 'GET') throw await refusalOf(posted);
  const query = new URLSearchParams(values.map(([name, value]) => [name, value])).toString();
  const got = await ask(service, query === '' ? url : `${url}?${query}`, { headers });
  if (!got.ok) throw await refusalOf(got);
  return got;
}

/** A whole URL says where the service is, and so which credential is meant for it; a name is that of one's own endpoint. */
function locate(endpoint: string, options: CallOptions): { service: Service; url: string } {
  const [, baseUrl, path] = /^(https?:\/\/.+)(\/v1\/[^/]+\/[^/]+)$/.exec(endpoint) ?? [];
  const service = findService(baseUrl === undefined ? options : { ...options, baseUrl }, process.env);
  if (path !== undefined) return { service, url: `${service.baseUrl}${path}` };
  return { service, url: `${service.baseUrl}/v1/${nameOf(endpoint, service)}` };
}

function nameOf(endpoint: string, { username }: Service): string {
  if (endpoint.includes('/')) return endpoint;
  if (username !== undefined) return `${username}/${endpoint}`;
  throw new Failure('your workspace has no username yet: say whose endpoint it is', {
    tip: `svc call <username>/${endpoint}`,
  });
}
