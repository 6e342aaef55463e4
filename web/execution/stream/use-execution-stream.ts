import { useCallback, useEffect, useMemo, useState } from 'react';
import { actingHeaders } from '../../account/chosen-workspace.ts';
import { pauseBeforeRetry } from '../../api/live/live.ts';
import { watchSilence } from '../../api/live/silence.ts';
import { ExecutionStream } from './execution-stream.ts';
import type { StreamPorts } from './stream-ports.ts';

/** The longest time without a break for the page: a frame has 16 ms. */
const SLICE_MS = 6;

function yieldAfterSlice(): () => Promise<void> {
  let sliceBegan = 0;
  return async () => {
    if (performance.now() - sliceBegan < SLICE_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    sliceBegan = performance.now();
  };
}

const PORTS: StreamPorts = {
  open: (executionId, events, signal) => {
    const given = Object.entries(events).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
    return fetch(`/executions/${encodeURIComponent(executionId)}/stream?${query}`, {
      headers: { Accept: 'text/event-stream', ...actingHeaders() },
      signal,
    });
  },
  pause: pauseBeforeRetry,
  watchSilence,
  random: Math.random,
  nowMs: Date.now,
  yieldToPage: yieldAfterSlice(),
};

/** The streams of the last viewed executions: returning to one resumes it. */
const MAX_KEPT = 4;
const streams = new Map<string, ExecutionStream>();

function streamOf(executionId: string): ExecutionStream {
  const stream = streams.get(executionId) ?? new ExecutionStream(executionId, PORTS);
  streams.delete(executionId);
  streams.set(executionId, stream);
  for (const id of [...streams.keys()].slice(0, -MAX_KEPT)) streams.delete(id);
  return stream;
}

const replays = new EventTarget();

/** Returns a function that drops the stream of an execution and reads it again from the first event. */
export function useReplay(executionId: string): () => void {
  return useCallback(() => {
    streams.delete(executionId);
    replays.dispatchEvent(new Event(executionId));
  }, [executionId]);
}

function useReplays(executionId: string): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const onReplay = () => setCount((before) => before + 1);
    replays.addEventListener(executionId, onReplay);
    return () => replays.removeEventListener(executionId, onReplay);
  }, [executionId]);
  return count;
}

/** The stream of an execution, followed while it is shown; rerenders at most once per frame. */
export function useExecutionStream(executionId: string): ExecutionStream {
  const replay = useReplays(executionId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a replay needs a new stream
  const stream = useMemo(() => streamOf(executionId), [executionId, replay]);
  const [, setRevision] = useState(0);
  useEffect(() => {
    const leave = new AbortController();
    let frame = 0;
    const draw = () => {
      frame = 0;
      setRevision(stream.revision);
    };
    const unsubscribe = stream.subscribe(() => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    });
    void stream.follow(leave.signal);
    return () => {
      leave.abort();
      unsubscribe();
      cancelAnimationFrame(frame);
    };
  }, [stream]);
  return stream;
}
