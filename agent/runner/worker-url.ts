/** The module of a Worker, as a path from the root of the repository. */
export type WorkerModule = `agent/${string}.ts`;

/**
 * The URL of such a module, from source or inside a compiled binary.
 *
 * A binary contains its entry files, as JavaScript, under their paths from the root of the repository; every bundled module
 * believes that it is at that root. So each Worker's module is an entry of the build, which `import.meta.url` alone would
 * not find.
 */
export function workerUrl(module: WorkerModule): URL {
  const inBinary = import.meta.url.startsWith('file:///$bunfs/');
  return inBinary ? new URL(module, import.meta.url) : new URL(`../../${module}`, import.meta.url);
}
