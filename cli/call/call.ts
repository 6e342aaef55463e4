import { Failure } from '../failure.ts';
import { findService } from '../service/find-service.ts';
import { ask, refusalOf, type Service } from '../service/service.ts';
import { printRaw, writeRows } from '../terminal.ts';
import { type FollowedThing, follow } from './follow.ts';
import type { CallOptions } from './options.ts';
import { printEvent } from './print.ts';

type Values = readonly (readonly [string, string])[];

/** `svc call`: starts an execution or a run and prints its output. The exit code is that of the command. */
export async function call(endpoint: string, values: Values, options: CallOptions): Promise<void> {
  if (options.raw) printRaw();
  const { service, url } = locate(endpoint, options);
  if (options.json) {
    await callBuffered(service, url, values);
    return;
  }
  const response = await send(service, url, values, { Prefer: 'respond-async' });
  reportPending((await response.json()) as object);
  for await (const { event } of follow(service, startedBy(response)))
    process.exitCode = printEvent(event) ?? 0;
}

/** An endpoint and a pipeline are called the same way; the response header tells which one has started. */
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

/** Reports a call that waits for approval, with the link to decide. */
function reportPending(body: { readonly approve_url?: string; readonly message?: string }): void {
  if (body.approve_url === undefined) return;
  writeRows(process.stderr, [
    { label: 'pending', text: body.message ?? '' },
    { label: 'approve', text: body.approve_url },
  ]);
}

/** Sends a POST, or a GET if the endpoint allows only that. A refused method has run nothing. */
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

/** A whole URL names the service, and so its credential; a bare name is an endpoint of the caller's own workspace. */
function locate(endpoint: string, options: CallOptions): { service: Service; url: string } {
  const [, baseUrl, path] = /^(https?:\/\/.+)(\/v1\/[^/]+\/[^/]+)$/.exec(endpoint) ?? [];
  const service = findService(baseUrl === undefined ? options : { ...options, baseUrl }, process.env);
  if (path !== undefined) return { service, url: `${service.baseUrl}${path}` };
  return { service, url: `${service.baseUrl}/v1/${nameOf(endpoint, service)}` };
}

function nameOf(endpoint: string, { username }: Service): string {
  if (endpoint.includes('/')) return endpoint;
  if (username !== undefined) return `${username}/${endpoint}`;
  throw new Failure('your workspace has no username yet: name the owner of the endpoint', {
    tip: `svc call <username>/${endpoint}`,
  });
}
