import { dirname, join } from 'node:path';

/** Whoever starts the program does it by this module, which takes the binary where `SVC_BINARY` names one. */
const STARTER = 'test/program.ts';

/** The test files of a folder that start the program: run against the binary, the others would only run a second time. */
export async function programTests(folder: string, root = '.'): Promise<string[]> {
  const files = await Array.fromAsync(new Bun.Glob(`${folder}/*.test.ts`).scan({ cwd: root }));
  const reaching = await Promise.all(files.map(async (file) => ((await reaches(file, root)) ? [file] : [])));
  return reaching.flat().sort();
}

async function reaches(file: string, root: string, seen = new Set<string>()): Promise<boolean> {
  if (file === STARTER) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  for (const imported of await importsOf(file, root)) if (await reaches(imported, root, seen)) return true;
  return false;
}

/** What a file imports from its own room. */
async function importsOf(file: string, root: string): Promise<string[]> {
  const text = await Bun.file(join(root, file)).text();
  return new Bun.Transpiler({ loader: 'ts' })
    .scanImports(text)
    .filter(({ path }) => path.startsWith('.'))
    .map(({ path }) => join(dirname(file), path))
    .filter((path) => path.startsWith('test/') && path.endsWith('.ts'));
}
