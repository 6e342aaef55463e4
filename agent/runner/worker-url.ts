/** A module that a Worker starts with, as a path from the root of the repository. */
export type WorkerModule = `agent/${string}.ts`;

/**
 * Where such a module is, run from source or inside a compiled binary.
 *
 * A binary holds its entry files, as JavaScript, under their paths from the folder that all of them share, the root of the
 * repository; every module bundled into one believes it stands at that root. So each Worker's module is an entry of the
 * build too, which `import.meta.url` alone would not find.
 */
export function workerUrl(module: WorkerModule): URL {
  const inBinary = import.meta.url.startsWith('file:///$bunfs/');
  return inBinary ? new URL(module, import.meta.url) : new URL(`../../${module}`, import.meta.url);
}
