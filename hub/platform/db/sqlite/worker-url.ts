/** A module that a Worker starts with, as a path from the root of the repository. */
export type WorkerModule = `hub/${string}.ts`;

/**
 * Where such a module is, run from source or inside a compiled binary.
 *
 * A binary holds its entry files under their paths from the root of the repository, and every module bundled into one
 * believes it stands at that root; so each Worker's module is an entry of the build too.
 */
export function workerUrl(module: WorkerModule): URL {
  const inBinary = import.meta.url.startsWith('file:///$bunfs/');
  return inBinary ? new URL(module, import.meta.url) : new URL(`../../../../${module}`, import.meta.url);
}
