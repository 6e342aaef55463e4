/** A service whose one command says nothing for a long time. A proxy in front of it cuts each stream after a comment. */
export interface SilentService {
  readonly url: string;
  /** How many streams have begun. */
  readonly streams: () => number;
  [Symbol.dispose](): void;
}

const STARTED = { execution_id: 'exe_1', status: 'running', status_url: '/executions/exe_1' };
const RESULT = { execution_id: 'exe_1', output: 'at last\n', exit_code: 0, duration_ms: 600_000 };
const LAST = 'id: 1\ndata: {"type":"done","exit_code":0,"duration_ms":600000}\n\n';

/** @param cuts how many streams end before the command does */
export function silentService(cuts: number): SilentService {
  let streams = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch({ url }) {
      if (!new URL(url).pathname.endsWith('/stream'))
        return streams > cuts ? Response.json(RESULT) : Response.json(STARTED, { status: 202 });
      streams += 1;
      const headers = { 'content-type': 'text/event-stream; charset=utf-8' };
      return new Response(streams > cuts ? LAST : ': \n\n', { headers });
    },
  });
  return {
    url: server.url.origin,
    streams: () => streams,
    [Symbol.dispose]: () => void server.stop(true),
  };
}
