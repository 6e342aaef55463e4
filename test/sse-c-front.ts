// A process in front of an S3 server, which adds encryption with keys of the customer (SSE-C) as Amazon S3 documents it: the MD5 of the
// key of each object is kept, and a request without it, or with another one, is refused. It encrypts nothing.
import { createHash } from 'node:crypto';

const [upstream = ''] = process.argv.slice(2);
const KEY_BYTES = 32;

/** By the path of the object. Objects that are not here are not encrypted. */
const md5s = new Map<string, string>();
const refused: string[] = [];

class Refused extends Error {
  readonly status: 400 | 403;
  constructor(status: 400 | 403, message: string) {
    super(message);
    this.status = status;
  }
}

function signedHeaders({ headers, url }: Request): readonly string[] {
  const inHeader = /SignedHeaders=([^,]+)/.exec(headers.get('authorization') ?? '')?.[1];
  return (inHeader ?? new URL(url).searchParams.get('X-Amz-SignedHeaders') ?? '').split(';');
}

/** The MD5 of the key that a request has; undefined: it has none. */
function md5Of(request: Request, prefix: '' | 'copy-source-'): string | undefined {
  const names = ['algorithm', 'key', 'key-md5'].map(
    (part) => `x-amz-${prefix}server-side-encryption-customer-${part}`,
  );
  const [algorithm, key, md5] = names.map((name) => request.headers.get(name) ?? undefined);
  if (algorithm === undefined && key === undefined && md5 === undefined) return undefined;
  const bytes = Buffer.from(key ?? '', 'base64');
  if (algorithm !== 'AES256' || bytes.length !== KEY_BYTES)
    throw new Refused(400, 'no valid algorithm and key');
  if (createHash('md5').update(bytes).digest('base64') !== md5)
    throw new Refused(400, 'the MD5 is not that of the key');
  if (!names.every((name) => signedHeaders(request).includes(name)))
    throw new Refused(403, 'headers that are not signed');
  return md5;
}

function refuseWrongKey(request: Request, path: string, prefix: '' | 'copy-source-'): void {
  const [kept, given] = [md5s.get(path), md5Of(request, prefix)];
  if (kept === given) return;
  if (kept === undefined || given === undefined)
    throw new Refused(
      400,
      given === undefined ? 'no key for an encrypted object' : 'a key for a plain object',
    );
  throw new Refused(403, 'the key of another object');
}

/** Refuses as the store would, and returns what is done when the server has found or stored the object. */
function checked(request: Request, path: string): () => void {
  const { method, headers } = request;
  if (method === 'DELETE') return () => void md5s.delete(path);
  if (method === 'GET' || method === 'HEAD') return () => refuseWrongKey(request, path, '');
  const md5 = md5Of(request, '');
  // Every hub of the tests with this front encrypts everything.
  if (md5 === undefined) throw new Refused(400, 'an object without a key');
  const source = headers.get('x-amz-copy-source');
  if (source !== null) refuseWrongKey(request, decodeURI(source), 'copy-source-');
  return () => void md5s.set(path, md5);
}

async function forward(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  // Signed for the address of this front.
  headers.set('host', request.headers.get('host') ?? '');
  const body = await request.bytes();
  const answer = await fetch(`${upstream}${pathname}${search}`, {
    ...{ method: request.method, headers, redirect: 'manual', decompress: false },
    ...(body.length > 0 ? { body } : {}),
  });
  const { status } = answer;
  return new Response(await answer.bytes(), { status, headers: answer.headers });
}

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === '/-/refused') return Response.json(refused);
  const isObject = pathname.split('/').length > 2;
  try {
    const done = isObject ? checked(request, pathname) : () => undefined;
    const answered = await forward(request);
    if (answered.ok) done();
    return answered;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    refused.push(`${request.method} ${pathname}: ${error.message}`);
    // Some stores repeat the headers of a request that they refuse.
    const repeated = [...request.headers]
      .filter(([name]) => name.includes('customer'))
      .map(([name, value]) => `${name} ${value}`);
    return new Response(`<Error>${error.message}: ${repeated.join(' ')}</Error>`, { status: error.status });
  }
}

const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
console.log(server.url.origin);
