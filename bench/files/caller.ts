import { output } from '../measure/program.ts';
import type { Seeded } from '../peers/seed.ts';

/** A file that the bench sends, and expects back. */
export interface BenchFile {
  readonly path: string;
  readonly name: string;
  readonly sha256: string;
}

/** Calls with files; each checks that the bytes are the same, and answers with its seconds. */
export interface Caller {
  /** Sends a file as the body of a call. */
  sendIn(slug: 'discard' | 'sum', file: BenchFile): Promise<number>;
  /** Lets a command leave a file. */
  leave(slug: string, file: BenchFile): Promise<{ readonly seconds: number; readonly url: string }>;
  download(url: string, file: BenchFile): Promise<number>;
}

interface Called {
  readonly execution_id: string;
  readonly exit_code: number;
  readonly output: string;
}

/** With curl, whose memory and processor time are no part of what is measured. */
export function fileCaller(hubUrl: string, { username, apiKey, accessToken }: Seeded): Caller {
  const curl = async (...args: readonly string[]) =>
    await output(['curl', '--silent', '--show-error', '--fail', ...args]);
  const call = async (slug: string, ...args: readonly string[]): Promise<Called> => {
    const headers = ['-H', `X-API-Key: ${apiKey}`, '-H', 'Accept: application/json', '-H', 'Expect:'];
    const called = JSON.parse(
      await curl(...headers, '-X', 'POST', ...args, `${hubUrl}/v1/${username}/${slug}`),
    ) as Called;
    if (called.exit_code !== 0) throw new Error(`${slug} ended with ${called.exit_code}: ${called.output}`);
    return called;
  };
  const bearer = { authorization: `Bearer ${accessToken}` };
  return {
    async sendIn(slug, { path, sha256 }) {
      const begun = performance.now();
      const { output: printed } = await call(slug, '-T', path);
      if (slug === 'sum' && !printed.startsWith(sha256)) throw new Error('the command got other bytes');
      return (performance.now() - begun) / 1_000;
    },
    async leave(slug, { sha256 }) {
      const begun = performance.now();
      const { execution_id: id } = await call(slug);
      const seconds = (performance.now() - begun) / 1_000;
      const response = await fetch(`${hubUrl}/executions/${id}/artifacts`, { headers: bearer });
      const { items } = (await response.json()) as { items: { sha256?: string; url?: string }[] };
      const [item] = items;
      if (item?.sha256 !== sha256 || item.url === undefined)
        throw new Error(`the artifact is another: ${JSON.stringify(items)}`);
      return { seconds, url: `${hubUrl}${new URL(item.url).pathname}` };
    },
    async download(url, { sha256 }) {
      const begun = performance.now();
      const sum = await output([
        'sh',
        '-c',
        `curl --silent --fail -H 'Authorization: Bearer ${accessToken}' '${url}' | sha256sum`,
      ]);
      if (!sum.startsWith(sha256)) throw new Error('the download has other bytes');
      return (performance.now() - begun) / 1_000;
    },
  };
}
