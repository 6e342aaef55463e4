/** The results of one process that repeats a request. */
export interface Asked {
  readonly perSecond: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export interface Question {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const PROGRAM = new URL('./asking-program.ts', import.meta.url).pathname;

/** Repeats a request in a process of its own, over this many connections. */
export async function keepAsking(
  { url, headers }: Question,
  { connections, seconds }: { readonly connections: number; readonly seconds: number },
): Promise<Asked> {
  const argv = [process.execPath, PROGRAM, url, `${connections}`, `${seconds}`, JSON.stringify(headers)];
  const child = Bun.spawn(argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(await new Response(child.stdout).text()) as Asked;
}
