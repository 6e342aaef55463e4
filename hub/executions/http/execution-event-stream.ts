import { END_ID, type StreamPosition, withIds } from '@svc/core/execution/event-ids';
import { type Ended, outcomeOf } from '@svc/core/execution/outcome';
import { encodeEvent, encodeTransformed } from '@svc/core/execution/sse';
import { type SseOptions, type SseWriter, sseResponse } from '../../http/sse-response.ts';
import type { OutputChunk } from '../execution-ports.ts';
import type { Following } from '../follow-execution.ts';

export interface EventStreamOptions extends Omit<SseOptions, 'first'> {
  readonly following: Following;
  /** Adds event ids to the stream: their prefix, and the id of the first event. Absent: only the lines of the specification. */
  readonly ids?: { readonly prefix: string; readonly first: string | undefined };
  /** The position that the reader already has. */
  readonly after?: StreamPosition;
  /** The position at which the stream ends. */
  readonly before?: StreamPosition | undefined;
}

/**
 * Answers with an execution's events as they come. Exactly one `done` or one `error` ends them (decision 15, the event stream), except
 * a stream with `before`.
 */
export function eventStream(options: EventStreamOptions): Response {
  const { following, ids } = options;
  return sseResponse(
    { ...options, first: ids?.first },
    { produce: (writer) => produce(options, writer), stop: () => following.stop() },
  );
}

async function produce(options: EventStreamOptions, writer: SseWriter): Promise<void> {
  for await (const next of options.following) {
    if (next.kind === 'output') await writeOutput(options, next.chunks, writer);
    else await writer.write(next.kind === 'ended' ? last(options, next.ended) : writer.stopped());
  }
}

async function writeOutput(
  { ids, after, before }: EventStreamOptions,
  chunks: readonly OutputChunk[],
  { write }: SseWriter,
): Promise<void> {
  for (const { seq, sse, letGo } of chunks) {
    const skip = after?.seq === seq ? after.events : 0;
    const until = before?.seq === seq ? before.events : undefined;
    await write(ids === undefined ? sse : withIds(seq, sse, { prefix: ids.prefix, skip, until }));
    letGo?.();
  }
}

function last({ ids, subject }: EventStreamOptions, ended: Ended): string {
  const id = ids === undefined ? '' : `id: ${ids.prefix}${END_ID}\n`;
  const outcome = outcomeOf(ended);
  if (outcome.kind === 'failure') {
    const { message, code } = outcome.refusal;
    return id + encodeEvent({ type: 'error', error: message, code, ...subject });
  }
  const { exitCode, durationMs, data } = outcome;
  const done = id + encodeEvent({ type: 'done', exit_code: exitCode, duration_ms: durationMs });
  return data === undefined ? done : encodeTransformed(data) + done;
}
