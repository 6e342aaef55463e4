import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import finish from '../../../../runner-image/finish.sh' with { type: 'text' };
import packages from '../../../../runner-image/packages.txt' with { type: 'text' };
import { EngineError } from '../engine.ts';
import { IMAGE_FILE, type ImageFile, imageDigest, readImageFile, TAR } from './runner-image.ts';

export interface BuildOptions {
  /** The folder of the image. */
  readonly folder: string;
  /** A file of apt sources to install from; default: those of this machine, if it runs the same Debian. */
  readonly sources?: string;
  /** Called with each line of mmdebstrap. */
  readonly onLine?: (line: string) => void;
}

export type Built = ImageFile & { readonly kind: 'built' | 'there_already' };

/**
 * Builds the runner image from Debian packages alone, without an image registry. An existing image stays if it is unchanged
 * since its build.
 */
export async function buildRunnerImage(options: BuildOptions): Promise<Built> {
  const { folder } = options;
  const recipe = recipeDigest();
  const present = await intactImage(folder);
  if (present?.recipe === recipe) return { kind: 'there_already', ...present };
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const unfinished = join(folder, `${TAR}.${process.pid}.unfinished`);
  try {
    await debootstrap(unfinished, options);
    const { size: bytes } = await stat(unfinished);
    const digest = await imageDigest(unfinished);
    const image = { recipe, digest, bytes, built_at: new Date().toISOString() };
    await rm(join(folder, IMAGE_FILE), { force: true });
    await rename(unfinished, join(folder, TAR));
    await writeFile(join(folder, IMAGE_FILE), `${JSON.stringify(image, null, 2)}\n`);
    return { kind: 'built', ...image };
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** Undefined also for an image that was changed since its build. */
async function intactImage(folder: string): Promise<ImageFile | undefined> {
  const image = readImageFile(folder);
  const tar = join(folder, TAR);
  if (image === undefined || !existsSync(tar)) return undefined;
  return (await imageDigest(tar)) === image.digest ? image : undefined;
}

async function debootstrap(tar: string, options: BuildOptions): Promise<void> {
  const program = Bun.which('mmdebstrap');
  if (program === null) {
    throw new EngineError(
      'the image is built by mmdebstrap, which is not installed (Debian: apt install mmdebstrap)',
    );
  }
  if (process.getuid?.() !== 0)
    throw new EngineError('the image is built by root: what is in it belongs to several users');
  const finish = `${tar}.finish.sh`;
  await writeFile(finish, RECIPE.finish);
  try {
    await run([program, ...argumentsFor(finish), RECIPE.suite, tar, sourcesOf(options)], options.onLine);
  } finally {
    await rm(finish, { force: true });
  }
}

function argumentsFor(finish: string): string[] {
  return [
    '--mode=root',
    '--variant=minbase',
    '--format=tar',
    `--include=${RECIPE.packages.join(',')}`,
    ...RECIPE.leftOut.map((path) => `--dpkgopt=path-exclude=${path}`),
    ...RECIPE.kept.map((path) => `--dpkgopt=path-include=${path}`),
    '--aptopt=Acquire::Languages "none"',
    '--aptopt=APT::Install-Recommends "false"',
    // The quotes are for the shell of mmdebstrap; the path is ours and may contain a blank.
    `--customize-hook=chroot "$1" /bin/sh -eu < '${finish.replaceAll("'", `'\\''`)}'`,
  ];
}

const SOURCES = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'];

/** The apt sources of a Debian of the same release also serve the image, mirrors included. */
function sourcesOf({ sources }: BuildOptions): string {
  if (sources !== undefined) {
    if (existsSync(sources)) return sources;
    throw new EngineError(`there is no file of apt sources ${sources}`);
  }
  const own = SOURCES.find((file) => existsSync(file) && mentions(file, RECIPE.suite));
  if (own !== undefined) return own;
  throw new EngineError(
    `this machine does not install from Debian 12 "${RECIPE.suite}": name a file of apt sources with --sources`,
  );
}

function mentions(file: string, word: string): boolean {
  return readFileSync(file, 'utf8').includes(word);
}

const LINES_KEPT = 20;

async function run(command: readonly string[], onLine: (line: string) => void = () => {}): Promise<void> {
  const child = Bun.spawn([...command], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
    env: { ...process.env, SOURCE_DATE_EPOCH: String(RECIPE.epochSec), DEBIAN_FRONTEND: 'noninteractive' },
  });
  const last: string[] = [];
  for await (const line of linesOf(child.stderr)) {
    onLine(line);
    last.push(line);
    if (last.length > LINES_KEPT) last.shift();
  }
  if ((await child.exited) === 0) return;
  throw new EngineError(`mmdebstrap could not build the image:\n${last.join('\n')}`);
}

/** Lines that move the cursor, such as a progress bar, count as several lines. */
async function* linesOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split(/\r?\n|\r/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** The recipe of the runner image (`runner-image/`); the Dockerfile beside it has the same content. */
export const RECIPE = {
  suite: 'bookworm',
  packages: packages.trim().split('\n'),
  /** A shell script, run in the new root. */
  finish,
  /** As in Debian's own container images: no manuals, and documentation only as far as licences require. */
  leftOut: ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*', '/usr/share/doc/*'],
  kept: ['/usr/share/doc/*/copyright'],
  /** The newest timestamp in the image, in seconds, so that two builds of the same packages have the same bytes. */
  epochSec: 1_751_328_000,
} as const;

/** The digest of the recipe, which may differ in another version of this program. */
function recipeDigest(): string {
  return new Bun.CryptoHasher('sha256').update(JSON.stringify(RECIPE)).digest('hex');
}
