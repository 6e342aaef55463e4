import { readEvent } from '@svc/core/execution/event';
import { textOf } from '@svc/core/execution/raw-output';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { useEffect, useState } from 'react';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { readLine } from '../execution/stream/ansi/read-line.ts';

/** The row stops following after this much output; the page of the execution has the rest. */
const MAX_BYTES = 4 * 1024 * 1024;
const UPDATE_MS = 150;

/** The last line of output of an execution; undefined before the first one. */
export function useLastLine(executionId: string): string | undefined {
  const [line, setLine] = useState<string>();
  useEffect(() => {
    const leave = new AbortController();
    let newest: string | undefined;
    const update = setInterval(() => setLine(newest), UPDATE_MS);
    const read = async () => {
      for await (const text of outputOf(executionId, leave.signal)) newest = lastOf(text) ?? newest;
    };
    // The row works without its last line; the connection bar reports a broken connection.
    read().catch(() => undefined);
    return () => {
      leave.abort();
      clearInterval(update);
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
  for (let bytes = 0; response.ok && reader && bytes < MAX_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
    for (const { data } of decoder.push(value)) {
      const event = readEvent(data);
      if (event?.type === 'output') yield textOf(event);
    }
  }
  await reader?.cancel();
}

/** The last line that is not blank, without colours and overwritten text. */
export function lastOf(text: string): string | undefined {
  const lines = text.split('\n').map((line) => readLine(line).text);
  return lines.findLast((line) => line.trim() !== '');
}
