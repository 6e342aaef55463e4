import type { Endpoint } from './definition.ts';

/** The media type of raw output whose endpoint names none. */
const ANY_BYTES = 'application/octet-stream';

/** The media type of the raw answer of an endpoint; undefined for an endpoint whose output is text. */
export function rawType({
  output,
  contentType,
}: Pick<Endpoint, 'output' | 'contentType'>): string | undefined {
  return output === 'raw' ? (contentType ?? ANY_BYTES) : undefined;
}

/** How the command's stdout and stderr are separated; undefined: one stream, in the order written (decision 68, raw output). */
export function streamsOf({
  output,
  merge,
}: Pick<Endpoint, 'output' | 'merge'>): 'apart' | 'raw' | undefined {
  if (output === 'raw') return 'raw';
  return merge === false ? 'apart' : undefined;
}
