// Turns of executions at sending their files: decision 111, upload turns. The hub is a real server, and the files are real.
import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ARTIFACT_LIMITS } from '@svc/core/artifact/limits';
import type { FoundArtifacts } from '@svc/core/artifact/upload';
import { TIMERS } from '../timers.ts';
import { HubFiles } from './hub-files.ts';
import { OutputFolders } from './output-folders.ts';
import { ArtifactUploader } from './uploads.ts';

const { turnBytes, sendingExecutions } = ARTIFACT_LIMITS;
const LARGE_BYTES = 6 * turnBytes;
const SMALL = crypto.randomUUID();
const OTHERS = Array.from({ length: sendingExecutions }, () => crypto.randomUUID());

/** A hub that takes all files, and notes in which order they end. */
class TakingHub implements AsyncDisposable {
  /** The executions, once for each file. */
  readonly ended: string[] = [];
  /** Resolves when the end of a file of this execution is answered. */
  onEnd = async (_executionId: string): Promise<void> => undefined;
  /** Resolves when as many executions have announced their files as are sent at once. */
  readonly isFull = Promise.withResolvers<void>();
  #announced = 0;
  readonly #server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => this.#take(request),
  });

  get url(): URL {
    return this.#server.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #take(request: Request): Promise<Response> {
    const [executionId = '', id] = new URL(request.url).pathname.split('/').slice(3);
    if (request.method === 'PUT') {
      await request.bytes();
      return Response.json({ offset: 0 });
    }
    const body: unknown = await request.json();
    if (id === undefined) {
      this.#announced += 1;
      if (this.#announced === sendingExecutions) this.isFull.resolve();
      const { files } = body as FoundArtifacts;
      const uploads = files.map((_, file) => ({ file, id: file + 1, offset: 0, state: 'uploading' }));
      return Response.json({ uploads });
    }
    this.ended.push(executionId);
    await this.onEnd(executionId);
    return Response.json({ state: 'stored' });
  }
}

let folder: string;
let hub: TakingHub;
let stop: AbortController;
let uploader: ArtifactUploader;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-turns-'));
  hub = new TakingHub();
  stop = new AbortController();
  const options = { baseUrl: hub.url, token: 'x', environment: {}, timers: TIMERS, random: () => 1 };
  uploader = new ArtifactUploader(new OutputFolders(folder), new HubFiles({ ...options, stop: stop.signal }));
});
afterEach(async () => {
  stop.abort();
  await hub[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function leave(executionId: string, files: number, bytes: number): Promise<void> {
  const own = uploader.createFolder(executionId, ['*'], undefined);
  for (let number = 0; number < files; number += 1) {
    const path = join(own, `${number}`);
    await writeFile(path, '');
    await truncate(path, bytes);
  }
}

/** Four executions begin to send, and then a fifth wants to. */
async function uploadAll(): Promise<void> {
  const first = OTHERS.map((id) => uploader.upload(id));
  await hub.isFull.promise;
  await Promise.all([...first, uploader.upload(SMALL)]);
}

test('a large file of each of four executions does not delay the small file of a fifth', async () => {
  for (const id of OTHERS) await leave(id, 1, LARGE_BYTES);
  await leave(SMALL, 1, 1);
  await uploadAll();
  expect([hub.ended[0], hub.ended.length]).toEqual([SMALL, 5]);
});

test('many small files of each of four executions do not delay the file of a fifth', async () => {
  const many = 5 * (turnBytes / ARTIFACT_LIMITS.fileCostBytes);
  for (const id of OTHERS) await leave(id, many, 1);
  await leave(SMALL, 1, 1);
  await uploadAll();
  expect(hub.ended.length).toBe(4 * many + 1);
  // A third of all: the fifth waits for one turn of 32 files of each of the four, and for what is on its way.
  expect(hub.ended.indexOf(SMALL)).toBeLessThan(hub.ended.length / 3);
});

test('while the hub compares the bytes of four large files, others send theirs', async () => {
  const sent = Promise.withResolvers<void>();
  hub.onEnd = async (executionId) => {
    if (executionId === SMALL) sent.resolve();
    else await sent.promise;
  };
  for (const id of OTHERS) await leave(id, 1, turnBytes);
  await leave(SMALL, 1, 1);
  await uploadAll();
  // The ends of the four are answered only after that of the fifth.
  expect(hub.ended.toSorted()).toEqual([...OTHERS, SMALL].toSorted());
});

test('without others an execution sends all of its files in one turn', async () => {
  await leave(SMALL, 3, LARGE_BYTES);
  await uploader.upload(SMALL);
  expect(hub.ended).toEqual([SMALL, SMALL, SMALL]);
});

test('the time limit of an execution does not run while it waits and the hub answers others', async () => {
  let [nowMs, asked] = [0, 0];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    // The first request, and each third one, are answered.
    fetch: () => Response.json({ uploads: [] }, { status: asked++ % 3 === 0 ? 200 : 503 }),
  });
  const timers = {
    nowMs: () => nowMs,
    after: (_ms: number, action: () => void) => cancelOf(setImmediate(action)),
  };
  const options = { baseUrl: server.url, token: 'x', environment: {}, timers, random: () => 0 };
  const files = new HubFiles({ ...options, stop: stop.signal });
  const never = new AbortController().signal;
  const waiting = files.begin(SMALL, never);
  nowMs += 2 * ARTIFACT_LIMITS.giveUpMs;
  await files.announce(files.begin(SMALL, never), { files: [], missing: [] });
  files.waited(waiting);
  expect(await files.announce(waiting, { files: [], missing: [] })).toEqual({ uploads: [] });
  expect(asked).toBe(4);
  await server.stop(true);
});

function cancelOf(timer: NodeJS.Immediate): () => void {
  return () => clearImmediate(timer);
}
