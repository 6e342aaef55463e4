import { readEvent } from '@svc/core/execution/event';
import { END_ID } from '@svc/core/execution/event-ids';
import { textOf } from '@svc/core/execution/raw-output';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { useEffect, useState } from 'react';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { pauseBeforeRetry } from '../api/live/live.ts';
import { unlessSilent } from '../api/live/silence.ts';
import { lastOf } from './last-line.ts';

/** The row stops following after this much output; the page of the execution has the rest. */
const MAX_BYTES = 4 * 1024 * 1024;
const UPDATE_MS = 150;
const RETRY_MS = 5_000;

/** The last line of output of an execution; undefined before the first one. */
export function useLastLine(executionId: string): string | undefined {
  const [line, setLine] = useState<string>();
  useEffect(() => {
    const leave = new AbortController();
    let newest: string | undefined;
    const update = setInterval(() => setLine(newest), UPDATE_MS);
    void followOutput(executionId, leave.signal, (text) => {
      newest = lastOf(text) ?? newest;
    });
    return () => {
      leave.abort();
      clearInterval(update);
    };
  }, [executionId]);
  return line;
}

/** Follows the output from its last event on. After a break it goes on where it was. */
async function followOutput(
  executionId: string,
  signal: AbortSignal,
  onText: (text: string) => void,
): Promise<void> {
  let [after, bytes] = ['', 0];
  // A hub of an earlier version refuses to begin at the end.
  let first = '?last=1';
  const isOver = () => bytes >= MAX_BYTES || after === END_ID || signal.aborted;
  while (!isOver()) {
    const connection = new AbortController();
    const decoder = new SseDecoder();
    try {
      const response = await unlessSilent(
        'head',
        connection,
        open(executionId, after === '' ? first : `?after=${encodeURIComponent(after)}`, [
          signal,
          connection.signal,
        ]),
      );
      if (response.status === 400 && first !== '') {
        first = '';
        continue;
      }
      const reader = response.ok ? response.body?.getReader() : undefined;
      while (reader !== undefined && !isOver()) {
        const { done, value } = await unlessSilent('body', connection, reader.read());
        if (done) break;
        bytes += value.length;
        for (const { data, lastEventId } of decoder.push(value)) {
          after = lastEventId || after;
          const event = readEvent(data);
          if (event?.type === 'output') onText(textOf(event));
        }
      }
      await reader?.cancel();
    } catch {
      // The connection bar reports a broken connection.
    }
    if (!isOver()) await pauseBeforeRetry(RETRY_MS, signal);
  }
}

function open(executionId: string, query: string, signals: readonly AbortSignal[]): Promise<Response> {
  return fetch(`/executions/${executionId}/stream${query}`, {
    headers: { Accept: 'text/event-stream', ...actingHeaders() },
    signal: AbortSignal.any([...signals]),
  });
}
