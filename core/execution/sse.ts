import type { ExecutionEvent } from './event.ts';

/** The comment that keeps a silent stream open (decision 15, the event stream). */
export const KEEP_ALIVE = ': \n\n';

/** One event as it goes over the wire: a single `data:` line and a blank one (reference 6). */
export function encodeEvent(event: ExecutionEvent): string {
  const { type, step, ...fields } = event;
  return `data: ${JSON.stringify({ type, step, ...fields })}\n\n`;
}

/** The event of a finished transform, around JSON that is already text: one line, so that its numbers keep their digits. */
export function encodeTransformed(json: string, step?: string): string {
  const head = JSON.stringify({ type: 'transformed_output', step });
  return `data: ${head.slice(0, -1)},"data":${json}}\n\n`;
}

/**
 * A block that is no event and only moves the reader's last event id (decision 20, asynchronous calls and records, and
 * decision 22, EventSource); `id` holds no line break or NUL.
 */
export function encodeId(id: string): string {
  return `id: ${id}\n\n`;
}
