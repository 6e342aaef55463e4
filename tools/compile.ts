/** Every program that the binary starts a thread of, and what it serves to browsers. */
const ENTRY_POINTS = [
  'cli/svc.ts',
  'agent/runner/process/worker.ts',
  'hub/platform/db/sqlite/writer-worker.ts',
  'hub/platform/db/sqlite/backup-worker.ts',
  'hub/platform/db/sqlite/check-worker.ts',
  'hub/platform/db/sqlite/read-worker.ts',
  'hub/platform/db/sqlite/checkpoint-worker.ts',
  'web/dist/dashboard.pack',
  'web/dist/documentation.pack',
];

/** The machine that a binary is for: Bun's name of it, and the file of Bun's runtime for it. */
export interface CompileTarget {
  readonly name: string;
  readonly runtime: string;
  /** What the program knows about its release, for `svc upgrade`. */
  readonly release?: unknown;
}

/**
 * Compiles the program and everything in it into the file `outfile`, for this machine or for `target`. The dashboard must have
 * been built. Throws with what the compiler printed.
 *
 * NOTE: The name of the file is part of its content. Files that must be alike need one name.
 */
export function compile(outfile: string, target?: CompileTarget): void {
  const { exitCode, stderr } = Bun.spawnSync(
    [
      process.execPath,
      'build',
      '--compile',
      '--bytecode',
      // Each program loads only its own part. One file of everything, 4.5 MB, takes 11 ms to load, a quarter of a start.
      '--splitting',
      '--format=esm',
      '--minify',
      '--keep-names',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      '--root=.',
      // Packages name their folder by it, which would put the path of this checkout into the binary.
      '--define=__dirname="/"',
      `--outfile=${outfile}`,
      ...(target?.release === undefined ? [] : [`--define=RELEASE_BUILD=${JSON.stringify(target.release)}`]),
      ...(target ? [`--target=${target.name}`, `--compile-executable-path=${target.runtime}`] : []),
      ...ENTRY_POINTS,
    ],
    { env: process.env },
  );
  if (exitCode !== 0) throw new Error(`the binary could not be compiled: ${stderr}`);
}
