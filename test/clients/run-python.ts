import { expect } from 'bun:test';
import { join } from 'node:path';

/** Runs a program with the Python client. It must succeed; returns what it printed. */
export async function runPython(program: string): Promise<string> {
  const child = Bun.spawn(['python3', '-c', program], {
    env: {
      ...process.env,
      PYTHONPATH: join(import.meta.dir, '../../clients/python'),
      PYTHONDONTWRITEBYTECODE: '1',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  expect([await child.exited, stderr]).toEqual([0, '']);
  return stdout;
}
