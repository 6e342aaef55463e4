import { afterEach, beforeEach, expect, test } from 'bun:test';
import { existsSync, truncateSync } from 'node:fs';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import type { ArtifactEnd, FoundArtifacts } from '@svc/core/artifact/upload';
import { HubFiles, UploadFailed } from './hub-files.ts';
import { OutputFolders } from './output-folders.ts';
import { ArtifactUploader } from './uploads.ts';

const ID = '019a9f3e-2a40-7d11-8e0a-6b0c9d1e4f22';
const { chunkBytes } = ARTIFACT_LIMITS;

/** A hub with one file, which answers requests as a test wants. */
class OneFileHub implements AsyncDisposable {
  bytes = Buffer.alloc(0);
  end: ArtifactEnd | undefined;
  found: FoundArtifacts | undefined;
  /** As a hub of an earlier version, which names no number. */
  requests: number | undefined;
  /** Resolves when the bytes at the offset are stored next. */
  turn = async (_offset: number): Promise<void> => undefined;
  onStored = (): void => undefined;
  mostOpen = 0;
  #open = 0;
  /** The offsets at which bytes came. */
  readonly offsets: number[] = [];
  /** Called before each request of bytes; an answer stands for that of the hub. */
  onBytes: (offset: number) => Response | undefined = () => undefined;
  answer: ((request: Request) => Response) | undefined;
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => this.answer?.(request) ?? this.#take(request),
  });

  get url(): URL {
    return this.#server.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #take(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === 'PUT') return await this.#append(Number(searchParams.get('offset')), request);
    const body: unknown = await request.json();
    if (pathname.endsWith('/1')) {
      this.end = body as ArtifactEnd;
      return Response.json({ state: 'stored' });
    }
    this.found = body as FoundArtifacts;
    const uploads = this.found.files.map((_, file) => ({
      ...{ file, id: 1, offset: this.bytes.length, state: 'uploading', requests: this.requests },
    }));
    return Response.json({ uploads });
  }

  async #append(offset: number, request: Request): Promise<Response> {
    this.#open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    const bytes = await request.bytes();
    await this.turn(offset);
    this.#open -= 1;
    this.offsets.push(offset);
    const instead = this.onBytes(offset);
    if (instead !== undefined) return instead;
    if (offset !== this.bytes.length) return Response.json({}, { status: 409 });
    this.bytes = Buffer.concat([this.bytes, bytes]);
    this.onStored();
    return Response.json({ offset: this.bytes.length });
  }
}

/** Time that passes only by waiting. */
class PassingTimers {
  #nowMs = 0;

  nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, action: () => void): () => void {
    this.#nowMs += ms;
    const timer = setImmediate(action);
    return () => clearImmediate(timer);
  }
}

const content = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)));
const large = Buffer.concat(Array.from({ length: 40 }, () => content)); // more than two chunks
const sha256 = new Bun.CryptoHasher('sha256').update(large).digest('hex');

const fail = (cause: unknown) => expect(cause).toBeUndefined();

let folder: string;
let hub: OneFileHub;
let stop: AbortController;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-uploads-'));
  hub = new OneFileHub();
  stop = new AbortController();
});
afterEach(async () => {
  stop.abort();
  await hub[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** As each process of an agent makes one, on the same folder. */
function uploader(Hub = HubFiles): ArtifactUploader {
  const timers = new PassingTimers();
  const options = {
    baseUrl: hub.url,
    token: 'x',
    environment: {},
    timers,
    random: () => 1,
    stop: stop.signal,
  };
  return new ArtifactUploader(new OutputFolders(folder), new Hub(options));
}

async function left(bytes: Uint8Array): Promise<ArtifactUploader> {
  const first = uploader();
  await writeFile(join(first.createFolder(ID, ['*'], undefined), 'app.bin'), bytes);
  return first;
}

test('a file is sent in chunks, with the hash of the whole', async () => {
  await (await left(large)).upload(ID);
  expect(hub.offsets).toEqual([0, chunkBytes, 2 * chunkBytes]);
  expect([hub.bytes.equals(large), hub.end]).toEqual([true, { sha256 }]);
});

test.each([1, 2])(
  'with a hub that takes %d requests of a file at once, so many chunks are on their way',
  async (requests) => {
    hub.requests = requests;
    const overtaking = Promise.withResolvers<void>();
    const stored = Promise.withResolvers<void>();
    hub.turn = async (offset) => {
      if (offset === chunkBytes) overtaking.resolve();
      // The answer to the first one waits for the second one, whose bytes wait for those of the first.
      if (offset === 0 && requests > 1) await overtaking.promise;
      if (offset === chunkBytes) await stored.promise;
    };
    hub.onStored = () => stored.resolve();
    await (await left(Buffer.concat([large, large]))).upload(ID);
    expect([hub.mostOpen, hub.bytes.equals(Buffer.concat([large, large]))]).toEqual([requests, true]);
  },
);

test('the next process of an agent that was stopped sends what the hub lacks, and no more', async () => {
  const first = await left(large);
  hub.onBytes = (offset) => {
    if (offset === 0) return undefined;
    stop.abort();
    return Response.json({}, { status: 503 });
  };
  expect((await first.upload(ID).catch((error: Error) => error))?.name).toBe('AbortError');
  [stop, hub.onBytes] = [new AbortController(), () => undefined];
  // The hub was killed in the middle of a chunk, too.
  hub.bytes = hub.bytes.subarray(0, chunkBytes - 1_000);
  await uploader().upload(ID);
  expect(hub.offsets).toEqual([0, chunkBytes, chunkBytes - 1_000, 2 * chunkBytes - 1_000]);
  expect([hub.bytes.equals(large), hub.end]).toEqual([true, { sha256 }]);
});

test('a chunk whose answer is lost is not stored twice', async () => {
  let isLost = false;
  hub.onBytes = (offset) => {
    if (isLost || offset !== 0) return undefined;
    isLost = true;
    hub.bytes = large.subarray(0, chunkBytes);
    return Response.json({}, { status: 502 });
  };
  await (await left(large)).upload(ID);
  expect([hub.bytes.equals(large), hub.end]).toEqual([true, { sha256 }]);
});

/** A hub that signs URLs of an object store, and the requests that the store gets. */
function signsPieces(pieceBytes: number, statusOf: (attempt: number) => number) {
  const sent: Record<'url' | 'token' | 'length' | 'key', string | null>[] = [];
  let signed = 0;
  hub.answer = (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === '/store') {
      sent.push({
        ...{ url: search, token: request.headers.get('authorization') },
        length: request.headers.get('content-length'),
        key: request.headers.get('x-amz-key'),
      });
      return new Response('', { status: statusOf(sent.length) });
    }
    if (request.method === 'GET') {
      signed += 1;
      const url = `${hub.url.origin}/store${search}&signed=${signed}`;
      return Response.json({ url, ...(signed === 1 ? {} : { headers: { 'x-amz-key': `${signed}` } }) });
    }
    if (pathname.endsWith('/1')) return Response.json({ state: 'stored' });
    const upload = { file: 0, id: 1, offset: 0, state: 'uploading', piece_bytes: pieceBytes };
    const isAsked =
      request.headers.get('x-svc-uploads') === 'pieces' && request.headers.has('x-svc-piece-headers');
    return Response.json({ uploads: isAsked ? [upload] : [] });
  };
  return sent;
}

test('pieces go to the object store without the token, each attempt with a new URL and its headers', async () => {
  const sent = signsPieces(1_500_000, (attempt) => (attempt === 2 ? 403 : 200));
  await (await left(large)).upload(ID);
  expect(sent).toEqual([
    { url: '?offset=0&signed=1', token: null, length: '1500000', key: null },
    { url: '?offset=1500000&signed=2', token: null, length: '900000', key: '2' },
    { url: '?offset=1500000&signed=3', token: null, length: '900000', key: '3' },
  ]);
});

test('an object store that takes nothing is given up, though the hub answers', async () => {
  signsPieces(1_500_000, () => 503);
  const failed = await (await left(large)).upload(ID).catch((error: Error) => error);
  expect(failed).toBeInstanceOf(UploadFailed);
  expect(failed?.message).toBe('the object store answered 503');
});

test('an upload without an answer is given up after its limit, and says why', async () => {
  hub.answer = () => Response.json({ error: 'no room on the disk' }, { status: 503 });
  const failed = await (await left(large)).upload(ID).catch((error: Error) => error);
  expect(failed).toBeInstanceOf(UploadFailed);
  expect(failed?.message).toBe('the hub answered 503: no room on the disk');
});

test.each([
  ['a hub', 'it is over', 'execution_not_open'],
  ['a hub of the version before', 'no execution of this agent is open under this id', 'not_found'],
  ['a hub of the version before, about a file', 'there is no such artifact', 'not_found'],
])('an upload that %s refuses is not tried again', async (_, error, code) => {
  let asked = 0;
  hub.answer = () => {
    asked += 1;
    return Response.json({ error, code }, { status: 404 });
  };
  const failed = await (await left(large)).upload(ID).catch((failure: Error) => failure);
  expect([asked, failed?.message]).toEqual([1, `the hub answered 404: ${error}`]);
});

test('a body that a proxy refuses is not sent again', async () => {
  hub.onBytes = () => new Response('<html>413</html>', { status: 413 });
  const failed = await (await left(large)).upload(ID).catch((error: Error) => error);
  expect([hub.offsets, failed?.message]).toEqual([[0], 'the hub answered 413: no reason']);
});

test.each([
  ['a page of a proxy', () => new Response('<html>busy</html>', { status: 503 })],
  ['a page in place of an answer', () => new Response('<html>hello</html>')],
  ['a proxy without a hub', () => new Response('<html>404</html>', { status: 404 })],
  [
    'a hub of an earlier version',
    () => Response.json({ error: 'nothing is at /x', code: 'not_found' }, { status: 404 }),
  ],
  [
    'a hub that says it in other words',
    () => Response.json({ error: 'there is no such route', code: 'not_found' }, { status: 404 }),
  ],
])('%s is followed by another attempt', async (_, answer) => {
  let asked = 0;
  const upload = await left(large);
  hub.onBytes = () => {
    asked += 1;
    return asked === 1 ? answer() : undefined;
  };
  await upload.upload(ID);
  expect([asked, hub.end]).toEqual([4, { sha256 }]);
});

test('a chunk that fails while the next one is read fails the upload, and nothing else', async () => {
  class Refusing extends HubFiles {
    override append(): Promise<boolean> {
      return Promise.reject(new UploadFailed('refused at once'));
    }
  }
  await left(large);
  const failed = await uploader(Refusing)
    .upload(ID)
    .catch((error: Error) => error);
  expect(failed?.message).toBe('refused at once');
});

const OTHERS = ['3', '4', '5', '6'].map((digit) => ID.slice(0, -1) + digit);

/** Four executions, as many as are sent at once. */
async function leftByOthers(first: ArtifactUploader): Promise<void> {
  for (const id of OTHERS) await writeFile(join(first.createFolder(id, ['*'], undefined), 'a'), 'a');
}

test('an execution that left nothing does not wait for the files of others', async () => {
  class Silent extends HubFiles {
    override announce(): Promise<never> {
      return new Promise(() => undefined);
    }
  }
  const first = uploader(Silent);
  await leftByOthers(first);
  for (const id of OTHERS) void first.upload(id);
  first.createFolder(ID, ['*'], undefined);
  await first.upload(ID);
  expect(hub.found).toBeUndefined();
});

test('an upload that waits for others has its limit from the start', async () => {
  const first = await left(large);
  await leftByOthers(first);
  const asked = new Map<string, number>();
  hub.answer = ({ url }) => {
    asked.set(url, (asked.get(url) ?? 0) + 1);
    return Response.json({ error: 'no room on the disk' }, { status: 503 });
  };
  const ended = await Promise.allSettled([...OTHERS, ID].map((id) => first.upload(id)));
  expect(ended.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => 'rejected'));
  // The one that waited asks hardly more than once, the others about 19 times in their 15 minutes.
  expect(asked.size).toBe(5);
  expect(Math.min(...asked.values())).toBeLessThan(10);
});

test('a cancel ends an upload and a wait, and the hub hears what is missing', async () => {
  const first = await left(large);
  const cancel = new AbortController();
  hub.onBytes = (offset) => {
    if (offset === 0) return undefined;
    cancel.abort(new Error('cancelled'));
    return Response.json({}, { status: 503 });
  };
  await first.upload(ID, cancel.signal);
  const reason = 'the execution was cancelled while it was sent';
  expect([hub.offsets, hub.end]).toEqual([[0, chunkBytes], { reason }]);
});

test('a cancelled execution does not wait for the uploads of others', async () => {
  const full = Promise.withResolvers<void>();
  let announced = 0;
  class Silent extends HubFiles {
    override announce(
      ...[upload, found]: Parameters<HubFiles['announce']>
    ): ReturnType<HubFiles['announce']> {
      announced += 1;
      if (announced === OTHERS.length) full.resolve();
      return announced <= OTHERS.length ? new Promise(() => undefined) : super.announce(upload, found);
    }
  }
  const first = uploader(Silent);
  await leftByOthers(first);
  for (const id of OTHERS) void first.upload(id);
  await full.promise;
  await writeFile(join(first.createFolder(ID, ['*'], undefined), 'app.bin'), large);
  const cancel = new AbortController();
  const uploaded = first.upload(ID, cancel.signal);
  cancel.abort(new Error('cancelled'));
  await uploaded;
  expect([hub.offsets, hub.end]).toEqual([[], { reason: 'the execution was cancelled while it was sent' }]);
});

test('a hub that always has other bytes than were sent is given up', async () => {
  hub.onBytes = () => Response.json({}, { status: 409 });
  const failed = await (await left(large)).upload(ID).catch((error: Error) => error);
  expect(failed?.message).toContain('again and again');
  expect(hub.offsets).toEqual([0, 0, 0]);
});

test('a file that is shorter than it was found ends as missing', async () => {
  // More than what is read ahead.
  const first = await left(Buffer.concat([large, large]));
  hub.onBytes = () => {
    truncateSync(join(folder, ID, 'output/app.bin'), 10);
    return undefined;
  };
  await first.upload(ID);
  expect(hub.end).toEqual({ reason: 'it became shorter while it was sent' });
});

test('no folder is made where other users can put something in its place', async () => {
  const root = join(folder, 'root');
  const open = (id: string) => new OutputFolders(root).create(id, ['*'], undefined);
  open('first');
  await chmod(root, 0o777);
  expect(() => open('second')).toThrow('is not a folder that only this user can change');
  await rm(root, { recursive: true });
  await symlink(folder, root);
  expect(() => open('third')).toThrow('is not a folder that only this user can change');
});

test('folders of other executions are removed, and one that was removed uploads nothing', async () => {
  const first = await left(large);
  await new OutputFolders(folder).keepOnly(new Set(), fail);
  expect(existsSync(join(folder, ID))).toBe(false);
  await first.upload(ID);
  expect(hub.found).toBeUndefined();
});

test.each(['data:,', 's3://files/x', 'nothing'])('a piece is not sent to %p', async (url) => {
  const uploads = [{ file: 0, id: 1, offset: 0, state: 'uploading', piece_bytes: 8 * 1024 * 1024 }];
  hub.answer = ({ method }) => Response.json(method === 'GET' ? { url } : { uploads, state: 'stored' });
  const failure = await (await left(content)).upload(ID).catch((error: unknown) => error);
  expect(failure).toEqual(new UploadFailed('the hub sent no address of an object store'));
});

test('a piece is sent with no other headers than those of an object store', async () => {
  const uploads = [{ file: 0, id: 1, offset: 0, state: 'uploading', piece_bytes: 8 * 1024 * 1024 }];
  const piece = { url: `${hub.url.origin}/store`, headers: { Cookie: 'a=b' } };
  hub.answer = ({ method }) => Response.json(method === 'GET' ? piece : { uploads, state: 'stored' });
  const failure = await (await left(content)).upload(ID).catch((error: unknown) => error);
  expect(failure).toEqual(new UploadFailed('the hub sent headers that no object store needs'));
});

test.each([0, -1, 0.5, 64 * 1024 * 1024 + 1])(
  'a file is not sent in pieces of %d bytes',
  async (pieceBytes) => {
    const sent = signsPieces(pieceBytes, () => 200);
    const failure = await (await left(content)).upload(ID).catch((error: unknown) => error);
    expect(failure).toEqual(new UploadFailed('the hub sent a size of pieces that no file can be sent in'));
    expect(sent).toEqual([]);
  },
);
