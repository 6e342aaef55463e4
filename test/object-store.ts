import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { temporaryFolder } from './temporary-folder.ts';

/** A real S3 server with one bucket, which checks every signature. */
export interface ObjectStore extends AsyncDisposable {
  /** What a hub needs to use it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The keys of all objects, in order. */
  keys(): Promise<string[]>;
}

const BUCKET = 'files';
const OBJECT = '._S3rver_object';

export async function objectStore(): Promise<ObjectStore> {
  const folder = await temporaryFolder();
  const server = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true },
    ...{ directory: folder.path, configureBuckets: [{ name: BUCKET }] },
  });
  const { port } = await server.run();
  return {
    environment: {
      SVC_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      SVC_S3_BUCKET: BUCKET,
      SVC_S3_ACCESS_KEY_ID: 'S3RVER',
      SVC_S3_SECRET_ACCESS_KEY: 'S3RVER',
    },
    async keys() {
      const names = await readdir(join(folder.path, BUCKET), { recursive: true });
      return names
        .filter((name) => name.endsWith(OBJECT))
        .map((name) => name.slice(0, -OBJECT.length))
        .toSorted();
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
