import type { RouteBody } from '@svc/core/api/contract/body';
import { parametersOf, type Route } from '@svc/core/api/contract/route';
import { LIMITS } from '@svc/core/plan/limits';

/** A request that a row does not accept, and what has to come back; without `status`: any refusal that the row says. */
export interface WrongRequest {
  readonly what: string;
  /** Percent-encoded, as it is sent. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | (() => ReadableStream<Uint8Array>);
  readonly status?: 400 | 413 | 415;
  /** One of the fields that the answer has to name. */
  readonly field?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Some path of the row that leads nowhere. */
export function pathOf(row: Route): string {
  return parametersOf(row.path).reduce(
    (path, name) => path.replace(`{${name}}`, NOWHERE.get(name) ?? 'nobody'),
    row.path,
  );
}

/** Names that are never valid. */
const NOWHERE: ReadonlyMap<string, string> = new Map([
  ['id', '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22'],
  ['version', '1'],
  ['number', '1'],
  ['artifact', 'app.zip'],
]);

const JSON_TYPE = { 'content-type': 'application/json' };

/** The values that stand where others belong; `raw` is JSON that no value can be written as. */
const STRANGE: readonly { readonly what: string; readonly value: unknown; readonly raw?: string }[] = [
  { what: 'null', value: null },
  { what: 'a flag', value: true },
  { what: 'a fraction', value: 1.5 },
  { what: 'a negative number', value: -1 },
  { what: 'no text', value: '' },
  { what: 'NUL', value: 'a\0b' },
  { what: 'a line break', value: 'a\r\nb' },
  { what: 'much text', value: 'x'.repeat(200_000) },
  { what: 'a slash', value: '../../etc/passwd' },
  { what: 'a list', value: [] },
  { what: 'a list of lists', value: [[[]]] },
  { what: 'an object', value: {} },
  { what: 'half of a character', value: 'x', raw: '"\\ud800"' },
  { what: 'a number without an end', value: Number.NaN, raw: '1e999' },
  { what: 'a number that would be rounded', value: Number.NaN, raw: '9007199254740993' },
];

/** Every body that cannot be right: by its bytes, by its shape, and field by field. */
export function wrongBodies(row: Route): WrongRequest[] {
  const { body } = row;
  if (body === undefined) return [];
  const sent = { path: pathOf(row), headers: JSON_TYPE };
  return [...wrongBytes(row, body), ...wrongFields(body)].map((wrong) => ({ ...sent, ...wrong }));
}

type WrongBody = Omit<WrongRequest, 'path'>;

function wrongBytes(row: Route, { example, isRequired }: RouteBody): WrongBody[] {
  const text = JSON.stringify(example);
  const large = JSON.stringify({ x: 'x'.repeat(LIMITS.requestBodyBytes) });
  const all: WrongBody[] = [
    ...(isRequired ? [{ what: 'no body', body: '', field: '' }] : []),
    ...['null', '[]', '"x"', '1'].map((body) => ({ what: body, body, field: '' })),
    { what: 'half of it', body: text.slice(0, -1) },
    { what: 'twice', body: text + text },
    {
      what: 'no UTF-8',
      body: new Uint8Array([...new TextEncoder().encode('{"x":"'), 0xc3, 0x28, 0x22, 0x7d]),
    },
    { what: 'UTF-16', body: new Uint8Array(Buffer.from(`\ufeff${text}`, 'utf16le')) },
    { what: 'deep lists', body: '['.repeat(100_000) },
    { what: 'deep objects', body: `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}` },
    { what: 'many values', body: `{"x":[${'0,'.repeat(200_000)}0]}` },
    { what: 'a field too many', body: JSON.stringify({ ...(example as Json), zzz: 1 }), field: 'zzz' },
    { what: '__proto__', body: '{"__proto__":{"isAdmin":true}}', field: '__proto__' },
  ];
  return [
    ...all.map((wrong) => ({ status: 400 as const, ...wrong })),
    { what: 'too large', body: large, status: 413 },
    { what: 'too large, without a length', body: () => new Blob([large]).stream(), status: 413 },
    { what: 'another type', body: text, headers: { 'content-type': 'text/plain' }, status: 415 },
    {
      what: 'a form',
      body: 'a=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      status: 415,
    },
    {
      what: 'Latin-1',
      body: text,
      headers: { 'content-type': 'application/json; charset=latin1' },
      status: 415,
    },
    { what: 'gzip', body: text, headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, status: 415 },
  ].map((wrong) => ({ ...wrong, what: `${row.method} ${row.path}, ${wrong.what}` }) as WrongBody);
}

function wrongFields({ schema, example }: RouteBody): WrongBody[] {
  const whole = example as Json;
  const names = 'shape' in schema ? Object.keys(schema.shape as object) : [];
  const isWrong = (value: unknown) => !schema.safeParse(value).success;
  return names.flatMap((name) => {
    const { [name]: own, ...others } = whole;
    const missing = isWrong(others) ? [{ what: `without ${name}`, body: JSON.stringify(others) }] : [];
    const twice = {
      what: `${name} twice`,
      body: withRaw(whole, name, `${JSON.stringify(own ?? 1)},"${name}":1`),
    };
    const strange = STRANGE.filter(
      ({ value, raw }) => raw !== undefined || isWrong({ ...whole, [name]: value }),
    ).map(({ what, value, raw }) => ({
      what: `${name} is ${what}`,
      body: withRaw(whole, name, raw ?? JSON.stringify(value)),
      // Half of a character is no JSON, and that has a place instead of a field.
      ...(what === 'half of a character' ? { field: undefined } : {}),
    }));
    return [...missing, twice, ...strange].map(
      (wrong) => ({ status: 400 as const, field: name, ...wrong }) as WrongBody,
    );
  });
}

/** The object as JSON, with this text as the value of one name. */
function withRaw(object: Json, name: string, raw: string): string {
  const others = Object.entries(object).filter(([other]) => other !== name);
  return `{${[...others.map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`), `"${name}":${raw}`].join(',')}}`;
}

const STRANGE_TEXTS = [
  '',
  '-1',
  '1e3',
  '99999999999999999999',
  'true',
  '%F0%9F%92%A9',
  'x'.repeat(5_000),
  '..%2F..',
  '%0D%0A',
];

/** Whether a row reads over parameters that it does not know. */
export function takesAnyQuery({ query }: Route): boolean {
  return query === 'ignored' || query?.safeParse({ zzz: '1' }).success === true;
}

/** Every query that cannot be right. */
export function wrongQueries(row: Route): WrongRequest[] {
  const { query } = row;
  const path = pathOf(row);
  if (query === 'ignored') return [];
  const known = query === undefined ? {} : query.shape;
  const wrong = Object.entries(known).flatMap(([name, schema]) => [
    ...STRANGE_TEXTS.filter((text) => !schema.safeParse(decodeURIComponent(text)).success).map((text) => ({
      text: `${name}=${text}`,
      field: name,
    })),
    { text: `${name}=1&${name}=1`, field: name },
    { text: `${name}=a%00b`, field: name },
    { text: `${name}=%ff`, field: undefined },
  ]);
  return [
    ...wrong,
    ...(takesAnyQuery(row) ? [] : [{ text: 'zzz=1', field: 'zzz' }]),
    { text: '%', field: undefined },
    { text: 'a=%zz', field: undefined },
  ].map(({ text, field }) => ({
    what: `?${text.slice(0, 60)}`,
    path: `${path}?${text}`,
    status: 400 as const,
    ...(field === undefined ? {} : { field }),
  }));
}

/** `..` and `%2e%2e` alone are none of these: a URL parser resolves them, so another path is requested. */
const STRANGE_SEGMENTS = [
  '%00',
  '%ff',
  '%',
  '...',
  '%2e%2e%2f',
  'a%2Fb',
  'x'.repeat(3_000),
  '%F0%9F%92%A9',
  '%0d%0aX: y',
  "'",
  '"',
  '*',
  ' ',
];

/** Paths that fit the row's and lead nowhere. */
export function strangePaths(row: Route): WrongRequest[] {
  return parametersOf(row.path).flatMap((name) =>
    STRANGE_SEGMENTS.map((segment) => ({
      what: `{${name}} is ${segment.slice(0, 20)}`,
      path: pathOf({ ...row, path: row.path.replace(`{${name}}`, segment) }),
    })),
  );
}

const STRANGE_HEADERS: readonly Readonly<Record<string, string>>[] = [
  { authorization: 'Bearer' },
  { authorization: `Bearer ${'x'.repeat(5_000)}` },
  { authorization: 'Basic \u00ff' },
  { 'x-api-key': '\u00ff' },
  { cookie: 'svc_session=%00; svc_session="; =; ;;' },
  { 'x-svc-workspace': '%00' },
  { 'x-svc-workspace': '\u00e9'.repeat(500) },
  { 'last-event-id': 'x/y/z' },
  { 'last-event-id': '99999999999999999999999.1' },
  { prefer: 'wait=99999999999999999999' },
  { 'idempotency-key': ' ' },
  { accept: ';;q=x,,' },
  { 'if-none-match': '"' },
  { 'x-forwarded-for': 'not an address' },
];

/** Malformed headers; the hub ignores some of them. */
export function strangeHeaders(row: Route): WrongRequest[] {
  return STRANGE_HEADERS.map((headers) => ({
    what: JSON.stringify(headers).slice(0, 60),
    path: pathOf(row),
    headers,
  }));
}
