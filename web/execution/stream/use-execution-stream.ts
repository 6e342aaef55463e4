import { useCallback, useEffect, useMemo, useState } from 'react';
import { actingHeaders } from '../../account/chosen-workspace.ts';
import { ExecutionStream, type StreamPorts } from './execution-stream.ts';

/** So long the page may be busy with what it reads: a frame has 16 ms. */
const TURN_MS = 6;

function turnTaking(): () => Promise<void> {
  let turnBegan = 0;
  return async () => {
    if (performance.now() - turnBegan < TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve));
    turnBegan = performance.now();
  };
}

const PORTS: StreamPorts = {
  open: (executionId, after, signal) => {
    const query = after === undefined ? '' : `?after=${encodeURIComponent(after)}`;
    return fetch(`/executions/${encodeURIComponent(executionId)}/stream${query}`, {
      headers: { Accept: 'text/event-stream', ...actingHeaders() },
      signal,
    });
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener('abort', () => {
        clearTimeout(timer);
        resolve();
      });
    }),
  random: Math.random,
  breathe: turnTaking(),
};

/** What was looked at lately: whoever comes back finds it as it was, and reads on from there. */
const KEPT = 4;
const streams = new Map<string, ExecutionStream>();

function streamOf(executionId: string): ExecutionStream {
  const stream = streams.get(executionId) ?? new ExecutionStream(executionId, PORTS);
  streams.delete(executionId);
  streams.set(executionId, stream);
  for (const id of [...streams.keys()].slice(0, -KEPT)) streams.delete(id);
  return stream;
}

const replays = new EventTarget();

/** Forgets what was read of an execution: whoever shows it reads it from the first event again. */
export function useReplay(executionId: string): () => void {
  return useCallback(() => {
    streams.delete(executionId);
    replays.dispatchEvent(new Event(executionId));
  }, [executionId]);
}

function useReplays(executionId: string): number {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const begin = () => setCount((before) => before + 1);
    replays.addEventListener(executionId, begin);
    return () => replays.removeEventListener(executionId, begin);
  }, [executionId]);
  return count;
}

/** The stream of an execution, followed while it is shown; draws again at most once in a frame, however much comes. */
export function useExecutionStream(executionId: string): ExecutionStream {
  const replay = useReplays(executionId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a replay begins another stream
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
