import type { RunningProxy } from './proxy.ts';

export interface CurlOptions {
  /** The address that it calls from, one of this machine; default: the system's choice. */
  readonly from?: string;
  /** The address of the proxy; default: 127.0.0.1. */
  readonly to?: string;
  readonly http?: '1.1' | '2';
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
}

/** The result of each request; status 0: no answer, or one that broke off. */
export interface Curled {
  readonly statuses: readonly number[];
  readonly httpVersions: readonly string[];
  readonly body: string;
  readonly exitCode: number;
}

const REPORT = '\\n%{stderr}%{http_code} %{http_version} %{errormsg}\\n';

/** One request after the other over as few connections as curl needs, none of which it tries a second time. */
export async function curl(
  { port, caFile }: RunningProxy,
  paths: readonly string[],
  { from, to = '127.0.0.1', http = '2', headers = {}, method, body }: CurlOptions = {},
): Promise<Curled> {
  const child = Bun.spawn(
    [
      'curl',
      '--silent',
      '--cacert',
      caFile,
      '--noproxy',
      '*',
      `--http${http}`,
      ...['--connect-to', `::${to.includes(':') ? `[${to}]` : to}:${port}`],
      ...(from === undefined ? [] : ['--interface', from]),
      ...(method === undefined ? [] : ['--request', method]),
      ...(body === undefined ? [] : ['--data-binary', body]),
      ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ...['--write-out', REPORT],
      ...paths.map((path) => `https://localhost:${port}${path}`),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [out, err, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  const reports = err.trim().split('\n');
  return {
    statuses: reports.map((line) => Number(line.split(' ')[0])),
    httpVersions: reports.map((line) => line.split(' ')[1] ?? ''),
    body: out,
    exitCode,
  };
}
