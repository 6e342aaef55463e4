import { fstatSync } from 'node:fs';
import { ARGUMENTS_IN_HEADER } from '@svc/core/api/call-body';
import { Failure } from '../failure.ts';
import { plural } from '../plural.ts';
import { Progress } from '../progress.ts';
import { type Field, type Fields, objectText } from '../resource/fields.ts';
import { readTextFile } from '../resource/input.ts';
import { findService } from '../service/find-service.ts';
import { ask, failureOfResponse, type Service } from '../service/service.ts';
import { type FactRow, printRaw, writeRows } from '../terminal.ts';
import { type FollowedThing, follow } from './follow.ts';
import type { CallOptions } from './options.ts';
import { printEvent } from './print.ts';
import { type InputCall, queryText, refuseOpaque } from './text-values.ts';

/** `svc call`: starts an execution or a run and prints its output. The exit code is that of the command. */
export async function call(endpoint: string, given: Fields, options: CallOptions): Promise<void> {
  const values = joinRepeated({ ...given, fields: [...given.fields, ...(options.rawField ?? [])] });
  if (options.raw) printRaw();
  const { service, url } = await locate(endpoint, options);
  if (options.dryRun) {
    const { dryRun } = await import('./dry-run.ts');
    return await dryRun(service, url, values, options);
  }
  const headers = callbackHeader(options);
  if (options.json && !options.async && !options.follow)
    return await callBuffered(service, url, values, headers);
  const response = await send(service, url, values, { Prefer: 'respond-async', ...headers });
  const started = startedBy(response);
  const accepted = (await response.json()) as object;
  if (options.async) return printAccepted(started, accepted, options);
  const pending = pendingRows(accepted);
  if (pending.length > 0) writeRows(process.stderr, pending);
  const isDone = onInterrupt([{ label: 'goes on', text: `svc logs ${started.id}` }]);
  for await (const { id, event } of follow(service, started)) {
    if (options.json) process.stdout.write(`${JSON.stringify({ id, ...event })}\n`);
    process.exitCode = (options.json ? exitCodeOf(event) : printEvent(event)) ?? 0;
  }
  isDone();
}

/** The URL may contain a secret, so it may come from a file. */
function callbackHeader({ callback }: CallOptions): Readonly<Record<string, string>> {
  if (callback === undefined) return {};
  const url = callback.startsWith('@') ? readTextFile(callback.slice(1)).trim() : callback;
  // The header also works for an endpoint with an argument `callback_url`.
  return { 'X-Callback-Url': url };
}

function exitCodeOf(event: { readonly type: string }): number | undefined {
  if (event.type === 'error') return 1;
  return 'exit_code' in event && event.type === 'done' ? Number(event.exit_code) : undefined;
}

/** `--async`: the id for a shell, and how to follow. */
function printAccepted({ id }: FollowedThing, accepted: object, { json }: CallOptions): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(accepted)}\n`);
    return;
  }
  process.stdout.write(`${id}\n`);
  writeRows(process.stderr, [...pendingRows(accepted), { label: 'follow', text: `svc logs ${id}` }]);
}

/** An endpoint and a pipeline are called the same way; the response header tells which one has started. */
function startedBy({ headers }: Response): FollowedThing {
  const runId = headers.get('x-run-id');
  if (runId !== null) return { kind: 'run', id: runId };
  return { kind: 'execution', id: headers.get('x-execution-id') ?? '' };
}

/** The service names the execution only at its end, so an interrupted call can name only the list. */
async function callBuffered(
  service: Service,
  url: string,
  values: Fields,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const isDone = onInterrupt([{ label: 'may go on', text: 'svc logs lists the latest executions' }]);
  const response = await send(service, url, values, { Accept: 'application/json', ...headers });
  const text = await response.text();
  isDone();
  process.stdout.write(text);
  const { exit_code: exitCode } = JSON.parse(text) as { exit_code?: number };
  process.exitCode = exitCode ?? 0;
}

/** What a person needs to know of a call that waits for approval; empty for other calls. */
function pendingRows(body: { readonly approve_url?: string; readonly expires_in_mins?: number }): FactRow[] {
  const { approve_url: link, expires_in_mins: mins } = body;
  if (link === undefined) return [];
  const within = mins === undefined ? '' : ` within ${plural(mins, 'minute')}`;
  return [
    { label: 'pending', text: `waits for approval: a person opens this page and decides${within}` },
    { label: 'approve', text: link },
  ];
}

/** Sends a POST, or a GET if the endpoint allows only that. A refused method has run nothing. */
async function send(
  service: Service,
  url: string,
  values: Fields,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const first = firstBody(values);
  const posted = await ask(service, url, {
    method: 'POST',
    body: first.body,
    headers: { ...headers, 'Content-Type': first.type, [ARGUMENTS_IN_HEADER]: 'body' },
  });
  if (posted.ok) return posted;
  // A streamed body cannot be sent twice. So this follows the redirect of a former username first (decision 102, change of username).
  if (posted.status === 415) return await sendBody(service, posted.url, { values, headers, refused: posted });
  if (posted.status !== 405 || posted.headers.get('allow') !== 'GET') throw await failureOfResponse(posted);
  const query = queryText(values);
  const got = await ask(service, query === '' ? url : `${url}?${query}`, { headers });
  if (!got.ok) throw await failureOfResponse(got);
  return got;
}

/**
 * The body of the first request: the values as JSON. If a file is no text, it is an empty form: an endpoint without files refuses it,
 * and one with files answers with their names.
 */
function firstBody(values: Fields) {
  const isOpaque = values.fields.some((field) => field.isOpaque);
  return isOpaque
    ? { body: '--none--\r\n', type: 'multipart/form-data; boundary=none' }
    : { body: objectText(values), type: 'application/json' };
}

/** Sends the arguments as the endpoint takes them. The refused request has run nothing. */
async function sendBody(service: Service, url: string, call: InputCall): Promise<Response> {
  const failure = await failureOfResponse(call.refused);
  const { details } = failure.toJSON() as {
    readonly details?: { readonly stdin?: unknown; readonly files?: unknown };
  };
  if (Array.isArray(details?.files)) {
    const { sendFiles } = await import('./send-files.ts');
    return await sendFiles(service, url, { ...call, files: new Set(details.files) });
  }
  refuseOpaque(call.values);
  if (details?.stdin !== 'body') throw failure;
  return await sendInput(service, url, call);
}

/** Streams standard input to a command that reads it. */
async function sendInput(service: Service, url: string, { values, headers }: InputCall): Promise<Response> {
  if (process.stdin.isTTY)
    throw new Failure('the command reads standard input, and this is a terminal', {
      tip: `svc call ${new URL(url).pathname.split('/').at(-1)} < file`,
    });
  const query = queryText(values);
  const { size } = fstatSync(process.stdin.fd);
  // A pipe has no size.
  using progress = new Progress({ label: 'standard input', total: size === 0 ? undefined : size });
  const posted = await ask(service, query === '' ? url : `${url}?${query}`, {
    method: 'POST',
    body: counted(Bun.stdin.stream() as ReadableStream<Uint8Array>, progress),
    headers: { ...headers, 'Content-Type': 'application/octet-stream' },
  });
  if (!posted.ok) throw await failureOfResponse(posted);
  return posted;
}

/** The stream as it is, with its bytes counted. */
function counted(stream: ReadableStream<Uint8Array>, progress: Progress): ReadableStream<Uint8Array> {
  if (process.stderr.isTTY !== true) return stream;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      progress.add(bytes.length);
      controller.enqueue(bytes);
    },
  });
  return stream.pipeThrough(counter);
}

/** A whole URL names the service, and so its credential; a bare name is an endpoint of the caller's own workspace. */
async function locate(endpoint: string, options: CallOptions): Promise<{ service: Service; url: string }> {
  const [, baseUrl, path] = /^(https?:\/\/.+)(\/v1\/[^/]+\/[^/]+)$/.exec(endpoint) ?? [];
  const service = findService(baseUrl === undefined ? options : { ...options, baseUrl }, process.env);
  if (path !== undefined) return { service, url: `${service.baseUrl}${path}` };
  return { service, url: `${service.baseUrl}/v1/${await nameOf(endpoint, service)}` };
}

async function nameOf(endpoint: string, service: Service): Promise<string> {
  if (endpoint.includes('/')) return endpoint;
  const username = service.username ?? (await usernameAt(service));
  if (username !== null) return `${username}/${endpoint}`;
  throw new Failure('your workspace has no username yet: name the owner of the endpoint', {
    tip: `svc call <username>/${endpoint}`,
  });
}

/** The service knows the workspace of an access token. */
async function usernameAt(service: Service): Promise<string | null> {
  if (!service.credential?.startsWith('svc_pat_')) return null;
  // The client loads the table of all routes; a call with a key does without it.
  const { apiOf, orFail } = await import('../service/api.ts');
  return (await orFail(apiOf(service).showWorkspace())).username;
}

/** 128 + SIGINT, as shells have it. */
const INTERRUPTED = 130;

/** Ctrl-C prints these rows on standard error and ends the program. Returns what restores the usual Ctrl-C. */
function onInterrupt(rows: readonly FactRow[]): () => void {
  const interrupt = () => {
    if (process.stderr.isTTY) process.stderr.write('\n');
    writeRows(process.stderr, rows);
    process.exit(INTERRUPTED);
  };
  process.once('SIGINT', interrupt);
  return () => process.off('SIGINT', interrupt);
}

/**
 * Joins fields of one name into a JSON list, so that `file=a file=b` is `file:='["a","b"]'` (decision 67, lists and JSON values).
 * The service refuses a list where the argument is none.
 */
function joinRepeated({ fields, ...rest }: Fields): Fields {
  const byName = new Map<string, Field[]>();
  for (const field of fields) byName.set(field.name, [...(byName.get(field.name) ?? []), field]);
  const joined = [...byName].flatMap(([name, given]): readonly Field[] => {
    if (given.length === 1 || given.some((field) => field.isOpaque)) return given;
    return [{ name, json: `[${given.map(({ json }) => json.trim()).join(',')}]` }];
  });
  return { ...rest, fields: joined };
}
