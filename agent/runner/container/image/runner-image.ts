import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../engine.ts';

/** A built image: one tar of a root file system with its digest. Engines create containers from it. */
export interface RunnerImage {
  readonly tarFile: string;
  /** SHA-256 of the tar, in hexadecimal. */
  readonly digest: string;
}

/** The content of the file beside the tar. */
export interface ImageFile {
  /** SHA-256 of its recipe. */
  readonly recipe: string;
  /** SHA-256 of the tar. */
  readonly digest: string;
  readonly bytes: number;
  readonly built_at: string;
}

export const TAR = 'image.tar';
export const IMAGE_FILE = 'image.json';

/** The image in a folder; undefined if none was built completely. */
export function readImageFile(folder: string): ImageFile | undefined {
  try {
    const { recipe, digest, bytes, built_at } = JSON.parse(readFileSync(join(folder, IMAGE_FILE), 'utf8'));
    return {
      recipe: String(recipe),
      digest: String(digest),
      bytes: Number(bytes),
      built_at: String(built_at),
    };
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The image that `svc admin runner-image build` left in a folder. */
export function findImage(folder: string): RunnerImage {
  const image = readImageFile(folder);
  if (image === undefined) {
    throw new EngineError(
      `there is no runner image in ${folder}: build it with svc admin runner-image build`,
    );
  }
  return { tarFile: join(folder, TAR), digest: image.digest };
}

export async function imageDigest(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) hasher.update(chunk);
  return hasher.digest('hex');
}
