/** The names of samplers that OpenTelemetry defines. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** The destination of spans, and which traces are kept. */
export interface TraceSettings {
  /** The URL of the collector, without `/v1/traces`. */
  readonly endpoint: string;
  /** The headers for the collector; they may contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** The ratio of a sampler that has one, from 0 to 1. */
  readonly ratio: number;
  /** The time that spans wait for others, so that they are sent together. */
  readonly delayMs: number;
}
