import { PAYLOAD_DATA } from '@svc/core/alert/payload';
import { readRouteQuery } from '@svc/core/api/contract/read-request';
import type { Route } from '@svc/core/api/contract/route';
import { ROUTES } from '@svc/core/api/routes';
import { z } from 'zod';
import { answerProblem } from '../../test/check-answer.ts';

/** A request that a document shows. A part of the path that begins with `$` or `{` stands for any one segment. */
export interface ShownRequest {
  readonly method: string;
  readonly path: string;
  /** Without its `?`. */
  readonly query: string;
  /** Undefined where there is none, or where it is not JSON. */
  readonly body: unknown;
}

interface Message {
  readonly start: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

const CALL: Route = ROUTES.callEndpoint;
const REQUEST = /^(GET|POST|PUT|PATCH|DELETE) (\/\S*) HTTP\/1\.1$/;
const ANSWER = /^HTTP\/1\.1 (\d{3})(?: .*)?$/;
const CURL = /\bcurl (?:'[^']*'|"(?:\\.|[^"\\])*"|[^\n'"|;)])*/g;
/** The addresses of hubs in documents. */
const HUB = /^(?:\$SVC_BASE_URL|https:\/\/svc\.example\.com)(?=\/)/;

const ALERT = z.discriminatedUnion(
  'type',
  Object.entries(PAYLOAD_DATA).map(([type, data]) =>
    z.strictObject({
      type: z.literal(type),
      version: z.int(),
      timestamp: z.iso.datetime(),
      workspace_id: z.string(),
      data,
      url: z.url().optional(),
    }),
  ) as never,
);

/**
 * What is wrong with a block of HTTP: a request to a hub, a request and its answer, or an alert, which a hub sends to a
 * webhook. Empty if it is right by the table of routes: method, path, query, fields of both bodies, and status.
 */
export function httpProblems(block: string): readonly string[] {
  const [request, ...answers] = messagesOf(block);
  const [, method, target] = REQUEST.exec(request?.start ?? '') ?? [];
  if (request === undefined || method === undefined || target === undefined)
    return [`"METHOD /path HTTP/1.1" expected, not "${request?.start ?? ''}"`];
  const body = jsonOf(request.body);
  if (body.problem !== undefined) return [body.problem];
  if (request.headers.has('webhook-id')) return schemaProblems('the alert', ALERT, body.value);
  const [path = '', query = ''] = target.split('?');
  const shown = { method, path, query, body: body.value };
  const row = rowOf(shown);
  if (row === undefined) return [`there is no route ${method} ${path}`];
  return [...requestProblems(shown), ...answers.flatMap((answer) => answerProblems(row, answer))];
}

/** What is wrong with a request to a hub, by the table of routes. */
export function requestProblems(request: ShownRequest): readonly string[] {
  const { method, path, query, body } = request;
  const row = rowOf(request);
  if (row === undefined) return [`there is no route ${method} ${path}`];
  const problems: string[] = [];
  try {
    readRouteQuery(row, query);
  } catch (error) {
    problems.push(`${method} ${path}: query: ${String(error)}`);
  }
  // The endpoint decides which values a call has, and the Model Context Protocol what its messages have.
  if (body === undefined || [CALL, ROUTES.mcp, ROUTES.mcpOfWorkspace].includes(row)) return problems;
  if (row.body === undefined) return [...problems, `${method} ${path} reads no JSON body`];
  return [...problems, ...schemaProblems(`${method} ${path}`, row.body.schema, body)];
}

/** The requests that the `curl` commands of a script send to a hub, as far as their text shows them. */
export function curlRequests(script: string): readonly ShownRequest[] {
  return [...script.replaceAll('\\\n', ' ').matchAll(CURL)].flatMap(([command]) => {
    const words = wordsOf(command);
    const url = words.find((word) => HUB.test(word));
    if (url === undefined) return [];
    const [path = '', query = ''] = url.replace(HUB, '').split('?');
    const after = (...options: string[]) => words[words.findIndex((word) => options.includes(word)) + 1];
    const isGiven = (...options: string[]) => words.some((word) => options.includes(word));
    const data = isGiven('-d', '--json') ? after('-d', '--json') : undefined;
    const sends = isGiven('-d', '--json', '-F', '--data-binary');
    const method = isGiven('-X') ? after('-X') : isGiven('-T') ? 'PUT' : sends ? 'POST' : 'GET';
    const isLiteral = data?.startsWith('{') === true && !data.includes('$');
    return [{ method: method ?? '', path, query, body: isLiteral ? JSON.parse(data) : undefined }];
  });
}

/**
 * The row that answers a request. A stand-in such as `$ID` is taken for a parameter where a row has one there, and a row without
 * parameters goes before one with them.
 */
function rowOf({ method, path }: Pick<ShownRequest, 'method' | 'path'>): Route | undefined {
  const segments = path.split('/');
  const isStandIn = (segment = '') => /^[${]/.test(segment);
  const fixed = (row: Route) =>
    row.path.split('/').filter((part, at) => isStandIn(segments[at]) && !part.startsWith('{')).length;
  const parameters = (row: Route) => row.path.split('{').length;
  return Object.values<Route>(ROUTES)
    .filter((row) => row.method === method)
    .sort((a, b) => fixed(a) - fixed(b) || parameters(a) - parameters(b))
    .find((row) => {
      const parts = row.path.split('/');
      const rest = /^\{(?:view|artifact)\}$/.test(parts.at(-1) ?? '');
      if (rest ? segments.length < parts.length : segments.length !== parts.length) return false;
      return parts.every(
        (part, at) =>
          part === segments[at] || (part.startsWith('{') && segments[at] !== '') || isStandIn(segments[at]),
      );
    });
}

function answerProblems(row: Route, { start, headers, body }: Message): readonly string[] {
  const [, status] = ANSWER.exec(start) ?? [];
  const isJson = headers.get('content-type')?.startsWith('application/json');
  const json = isJson ? jsonOf(body) : { value: undefined };
  if (json.problem !== undefined) return [json.problem];
  if (!isJson && body.startsWith('{'))
    return [`${start}: a JSON body without Content-Type: application/json`];
  const problem = answerProblem(row, { status: Number(status), body: json.value });
  return problem === undefined ? [] : [`${row.method} ${row.path}, ${start}: ${problem}`];
}

function schemaProblems(what: string, schema: z.ZodType, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${what}: ${path.join('.')}: ${message}`);
}

function jsonOf(text: string): { readonly value?: unknown; readonly problem?: string } {
  if (text === '') return {};
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `the body is no JSON: ${String(error)}` };
  }
}

/** The request and its answers: each begins with a start line, then headers, a blank line and the body. */
function messagesOf(block: string): readonly Message[] {
  return block
    .trim()
    .split(/\n(?=HTTP\/1\.1 \d)/)
    .map((text) => {
      const [head = '', ...body] = text.split('\n\n');
      const [start = '', ...lines] = head.split('\n');
      const headers = lines.map((line): [string, string] => {
        const [name = '', ...value] = line.split(':');
        return [name.toLowerCase(), value.join(':').trim()];
      });
      return { start, headers: new Map(headers), body: body.join('\n\n').trim() };
    });
}

/** The words of a command, as far as quotes decide where they end; what stands in a shell variable stays a variable. */
function wordsOf(command: string): readonly string[] {
  return [...command.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_, plain?: string, quoted?: string) => plain ?? (quoted ?? '').replaceAll(/\\([\\"$])/g, '$1'),
    ),
  );
}
