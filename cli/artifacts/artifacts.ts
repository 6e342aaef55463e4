import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ApiClient } from '@svc/core/api/client/client-of';
import { artifactNameProblem } from '@svc/core/artifact/name';
import { visibleText } from '@svc/core/text/visible-text';
import { Failure } from '../failure.ts';
import { Progress } from '../progress.ts';
import { apiOf, orFail } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import type { ServiceOptions } from '../service/options.ts';
import { ask, failureOfResponse, type Service } from '../service/service.ts';

export interface ArtifactsOptions extends ServiceOptions {
  readonly output?: string;
  readonly all?: string;
}

type Artifact = Awaited<ReturnType<ApiClient['listArtifacts']>>['items'][number];

/** `svc artifacts`: lists the files that an execution left, or downloads them. */
export async function listOrDownload(
  id: string,
  name: string | undefined,
  { output, all, ...options }: ArtifactsOptions,
): Promise<void> {
  if (all !== undefined && (name !== undefined || output !== undefined))
    throw new Failure('--all downloads every file: leave name and --output out');
  if ((name === undefined) !== (output === undefined))
    throw new Failure('a download needs the name of the file and --output', {
      tip: `svc artifacts ${id} NAME -o FILE`,
    });
  const service = findService(options, process.env);
  const { items } = await orFail(apiOf(service).listArtifacts({ parameters: { id } }));
  if (all !== undefined) await downloadAll(service, id, items, all);
  else if (name !== undefined && output !== undefined) await download(service, id, find(items, name), output);
  else if (options.json) process.stdout.write(`${JSON.stringify({ items })}\n`);
  else process.stdout.write(items.map(rowOf).join(''));
  if (items.length === 0 && !options.json) process.stderr.write('no files\n');
}

function rowOf({ name, size, type, state, reason, sha256 = '' }: Artifact): string {
  const about = state === 'stored' ? `${type}  ${sha256}` : (reason ?? '');
  return `${state.padEnd(9)}  ${String(size).padStart(12)}  ${visibleText(name)}  ${visibleText(about)}\n`;
}

function find(items: readonly Artifact[], name: string): Artifact {
  const found = items.find((one) => one.name === name);
  if (found === undefined) throw new Failure(`the execution left no file "${visibleText(name)}"`);
  if (found.state !== 'stored')
    throw new Failure(
      `"${visibleText(name)}" is ${found.state}: ${visibleText(found.reason ?? 'not yet whole')}`,
    );
  return found;
}

/** Downloads into a new or empty folder. A folder with files may have a link through which a download would leave it. */
async function downloadAll(
  service: Service,
  id: string,
  items: readonly Artifact[],
  folder: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0)
    throw new Failure(`${folder} is not empty: a download needs a new or an empty folder`);
  for (const item of items) {
    if (item.state !== 'stored') {
      process.stderr.write(`${visibleText(item.name)} is ${item.state}: ${visibleText(item.reason ?? '')}\n`);
      continue;
    }
    const problem = artifactNameProblem(item.name);
    if (problem !== undefined) throw new Failure(`a file is not written, because ${problem}`);
    const path = join(folder, item.name);
    await mkdir(dirname(path), { recursive: true });
    await download(service, id, item, path);
  }
}

/** Writes a new file, and removes it if its bytes are not those that the hub has recorded. */
async function download(service: Service, id: string, { name, sha256, size }: Artifact, path: string) {
  const encoded = name.split('/').map(encodeURIComponent).join('/');
  const response = await ask(service, `${service.baseUrl}/executions/${id}/artifacts/${encoded}`);
  if (!response.ok || response.body === null) throw await failureOfResponse(response);
  const hash = createHash('sha256');
  let written = 0;
  await using file = await created(path);
  using progress = new Progress({ label: path, total: size });
  try {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      hash.update(bytes);
      for (let at = 0; at < bytes.length; )
        at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
      written += bytes.length;
      progress.add(bytes.length);
    }
    progress[Symbol.dispose]();
    if (hash.digest('hex') !== sha256)
      throw new Failure(
        `${path}: ${written} of ${size} bytes came, and their SHA-256 is not that of the file`,
      );
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  process.stderr.write(`${path}  ${written} bytes\n`);
}

async function created(path: string) {
  try {
    return await open(path, 'wx');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Failure(code === 'EEXIST' ? `${path} exists already` : `${path} cannot be written: ${message}`);
  }
}
