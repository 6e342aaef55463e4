/** What of all traces is kept, by the names that OpenTelemetry has for it. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/** Where spans go, and which. */
export interface TraceSettings {
  /** Of the collector; `/v1/traces` comes behind it. */
  readonly endpoint: string;
  /** What the collector wants to know; may be secret. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** From 0 to 1; of the samplers with a ratio. */
  readonly ratio: number;
  /** Spans wait so long for others. */
  readonly delayMs: number;
}
