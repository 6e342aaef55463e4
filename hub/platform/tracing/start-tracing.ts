import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type TracerProviderOptions,
} from '@opentelemetry/sdk-trace';
import { OtelTracer } from './otel-tracer.ts';
import { PlannedIds } from './planned-ids.ts';
import { SpanBatches } from './span-batches.ts';
import type { TraceSettings } from './trace-settings.ts';
import type { Tracer } from './tracer.ts';

/** A collector that has not answered by then counts as failed. */
const EXPORT_MS = 5_000;

export interface Tracing {
  readonly tracer: Tracer;
  readonly figures: { readonly exported: number; readonly dropped: number };
  /** Sends the waiting spans. With a collector that hangs, the promise may never resolve. */
  stop(): Promise<void>;
}

export interface TracingOptions {
  readonly version: string;
  readonly onState: (error: Error | undefined) => void;
}

/** Exports spans to a collector, as OTLP over HTTP in JSON. Loaded only if a collector is configured. */
export function startTracing(settings: TraceSettings, { version, onState }: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint}/v1/traces`,
    headers: settings.headers,
    timeoutMillis: EXPORT_MS,
  });
  const batches = new SpanBatches({ exporter, onState, delayMs: settings.delayMs });
  const ids = new PlannedIds();
  const provider = new TracerProvider({
    sampler: samplerOf(settings),
    idGenerator: ids,
    spanProcessors: [batches],
    resource: resourceOf({
      'service.name': settings.serviceName,
      'service.version': version,
      'service.instance.id': crypto.randomUUID(),
    }),
  });
  return {
    tracer: new OtelTracer(provider.getTracer('svc', version), ids),
    figures: batches.figures,
    stop: () => provider.shutdown(),
  };
}

type Resource = NonNullable<TracerProviderOptions['resource']>;

/** NOTE: The default resource contains the path of this program, and its builder is in another package. */
function resourceOf(attributes: Resource['attributes']): Resource {
  return { attributes, merge: (other) => other ?? resourceOf(attributes), getRawAttributes: () => [] };
}

const PARENT_BASED = 'parentbased_';

/** The sampler of a name. `parentbased_…` follows the decision of the caller; the rest of the name is for new traces. */
function samplerOf({ sampler, ratio }: Pick<TraceSettings, 'sampler' | 'ratio'>): Sampler {
  const own = ownSampler(sampler.replace(PARENT_BASED, ''), ratio);
  return sampler.startsWith(PARENT_BASED) ? new ParentBasedSampler({ root: own }) : own;
}

function ownSampler(name: string, ratio: number): Sampler {
  if (name === 'traceidratio') return new TraceIdRatioBasedSampler(ratio);
  return name === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler();
}
