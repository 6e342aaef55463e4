/** A module that a Worker starts with, as a path from the root of the repository. */
export type WorkerModule = `hub/${string}.ts`;

/**
 * The URL of such a module, run from source or inside a compiled binary.
 *
 * A binary contains its entry files under their paths from the root of the repository, and a module that is bundled into
 * one behaves as if it were at that root. So the module of each Worker is an entry of the build.
 */
export function workerUrl(module: WorkerModule): URL {
  const inBinary = import.meta.url.startsWith('file:///$bunfs/');
  return inBinary ? new URL(module, import.meta.url) : new URL(`../../../../${module}`, import.meta.url);
}
