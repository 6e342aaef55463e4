import { z } from 'zod';
import type { TailBatch, TailLine } from '../../tail/tail-line.ts';

/** The JSON of one event of `GET /tail`. */
export const tailMessage = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ready') }).meta({ description: 'The stream is open.' }),
    z
      .strictObject({
        type: z.literal('line'),
        execution_id: z.string(),
        endpoint: z.string().describe('The slug of the endpoint.'),
        stream: z.literal('stderr').optional().describe('The line came from stderr.'),
        data: z.string().describe('The line, without its line break: at most 2,000 characters.'),
        cut: z.literal(true).optional().describe('The line is longer.'),
      })
      .meta({ description: 'A line of output.' }),
    z.strictObject({ type: z.literal('dropped'), lines: z.int() }).meta({
      description:
        'Lines were dropped here, because there were too many: `lines` is their number. Some may not match the filters for stream and text.',
    }),
  ])
  .meta({ id: 'TailEvent', description: 'One event of the output of all executions.' });

export type TailMessage = z.infer<typeof tailMessage>;

/** The lines of a batch, then the number of those that were dropped, as events of a stream. */
export function encodeTailEvents({ lines, dropped }: TailBatch): string {
  const events: TailMessage[] = lines.map(wireLine);
  if (dropped > 0) events.push({ type: 'dropped', lines: dropped });
  return events.map(encodeTailEvent).join('');
}

export function encodeTailEvent(event: TailMessage): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function wireLine({ executionId, endpoint, stream, data, isCut }: TailLine): TailMessage {
  return { type: 'line', execution_id: executionId, endpoint, stream, data, cut: isCut };
}
