import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { useEffect, useState } from 'react';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { readLine } from '../execution/stream/ansi/read-line.ts';

/** Somebody who wants to see more of it opens the execution: here it is one line. */
const MOST_BYTES = 4 * 1024 * 1024;
const TOLD_EVERY_MS = 150;

/** The newest line that an execution has printed, while it is shown; undefined: none yet. */
export function useLastLine(executionId: string): string | undefined {
  const [line, setLine] = useState<string>();
  useEffect(() => {
    const leave = new AbortController();
    let newest: string | undefined;
    const telling = setInterval(() => setLine(newest), TOLD_EVERY_MS);
    const read = async () => {
      for await (const text of outputOf(executionId, leave.signal)) newest = lastOf(text) ?? newest;
    };
    // Without it the row says less; what is wrong with the connection is said above.
    read().catch(() => undefined);
    return () => {
      leave.abort();
      clearInterval(telling);
    };
  }, [executionId]);
  return line;
}

async function* outputOf(executionId: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await fetch(`/executions/${executionId}/stream`, {
    headers: { Accept: 'text/event-stream', ...actingHeaders() },
    signal,
  });
  const decoder = new SseDecoder();
  const reader = response.body?.getReader();
  for (let bytes = 0; response.ok && reader && bytes < MOST_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
    for (const { data } of decoder.push(value)) {
      const event = JSON.parse(data) as { readonly type: string; readonly data?: unknown };
      if (event.type === 'output' && typeof event.data === 'string') yield event.data;
    }
  }
  await reader?.cancel();
}

/** The last line with something in it, without its colours; of one that was written over, what stands there in the end. */
export function lastOf(text: string): string | undefined {
  const lines = text.split('\n').map((line) => readLine(line).text);
  return lines.findLast((line) => line.trim() !== '');
}
