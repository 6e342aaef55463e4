/** A place in a trace (W3C Trace Context): what is done there has it as its parent. */
export interface TraceContext {
  /** 32 hexadecimal digits in lower case, not all of them 0. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** Whether it is kept; who follows keeps to that. */
  readonly isSampled: boolean;
}

/** Version, trace, span and flags; what follows in later versions is not known here. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_CHARS = 512;
const SAMPLED = 1;

/** Reads a header `traceparent`; undefined for an invalid one, since a trace is not worth a refusal. */
export function readTraceparent(text: string | null | undefined): TraceContext | undefined {
  if (text == null || text.length > MAX_CHARS) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** The same, as it is sent on. */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-0${isSampled ? SAMPLED : 0}`;
}
