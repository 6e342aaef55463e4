import { readEvent } from '@svc/core/execution/event';
import { textOf } from '@svc/core/execution/raw-output';
import { SseDecoder } from '@svc/core/execution/sse-decoder';
import { useEffect, useState } from 'react';
import { actingHeaders } from '../account/chosen-workspace.ts';
import { pauseBeforeRetry } from '../api/live/live.ts';
import { lastOf } from './last-line.ts';
import { LastLines } from './last-lines.ts';

const POLL_MS = 1_000;
const RETRY_MS = 5_000;
/** A read that takes longer is lost: its connection is dead. */
const READ_MS = 10_000;
/** Lines may be blank. */
const LAST_EVENTS = 4;

const lastLines = new LastLines({
  read: readLastLine,
  pause: (hasFailed, signal) =>
    hasFailed ? pauseBeforeRetry(RETRY_MS, signal) : pauseOrAbort(POLL_MS, signal),
  untilVisible,
});

/** What an execution has printed so far; undefined: not read yet. */
interface Printed {
  /** Undefined: nothing. */
  readonly lastLine: string | undefined;
}

/**
 * The last stored line of output of an execution, a second old at most while the tab is visible. The hub stores the end of an output of more
 * than 7.5 MiB only when the command ends, so the line of such an output stays.
 */
export function useLastLine(executionId: string): Printed | undefined {
  const [printed, setPrinted] = useState<Printed>();
  useEffect(
    () =>
      lastLines.follow(executionId, (line) =>
        setPrinted((before) =>
          before !== undefined && before.lastLine === (line ?? before.lastLine)
            ? before
            : { lastLine: line ?? before?.lastLine },
        ),
      ),
    [executionId],
  );
  return printed;
}

/** A stream that ends with the last stored event. */
async function readLastLine(executionId: string): Promise<string | undefined> {
  const response = await fetch(`/executions/${executionId}/stream?last=${LAST_EVENTS}&before=end`, {
    headers: { Accept: 'text/event-stream', ...actingHeaders() },
    signal: AbortSignal.timeout(READ_MS),
  });
  if (!response.ok) throw new Error(`the hub returned status ${response.status}`);
  const events = new SseDecoder().push(new Uint8Array(await response.arrayBuffer()));
  const texts = [...events].flatMap(({ data }) => {
    const event = readEvent(data);
    return event?.type === 'output' ? [textOf(event)] : [];
  });
  return lastOf(texts.join('\n'));
}

function pauseOrAbort(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
  });
}

async function untilVisible(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }));
}
