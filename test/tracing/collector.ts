/** A span as a collector gets it. */
export interface Received {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  /** Unix time in nanoseconds. */
  readonly start: bigint;
  readonly end: bigint;
  readonly isError: boolean;
  readonly facts: Readonly<Record<string, string | number>>;
  /** The resource of the sender. */
  readonly resource: Readonly<Record<string, string | number>>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

interface WireTraces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

const STATUS_ERROR = 2;

/** A collector over OTLP/HTTP in JSON, which a test can make hang or refuse. */
export class Collector implements AsyncDisposable {
  readonly spans: Received[] = [];
  /** All that was sent, as it was. */
  readonly bodies: string[] = [];
  readonly requests: Request[] = [];
  /** Its answer; one that never settles is a collector that hangs. */
  respond: () => Promise<Response> = () => Promise.resolve(Response.json({}));
  readonly #server: Bun.Server<undefined>;
  readonly #waiting = new Set<() => void>();

  constructor(port = 0) {
    this.#server = Bun.serve({
      port,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: async (request) => {
        const body = await request.text();
        this.requests.push(request);
        this.bodies.push(body);
        if (new URL(request.url).pathname === '/v1/traces') this.spans.push(...spansOf(body));
        for (const wake of this.#waiting) wake();
        this.#waiting.clear();
        return await this.respond();
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The first span for which this holds. */
  async span(matches: (span: Received) => boolean): Promise<Received> {
    for (;;) {
      const found = this.spans.find(matches);
      if (found !== undefined) return found;
      await this.next();
    }
  }

  /** Settles with the next request. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

function spansOf(body: string): Received[] {
  const { resourceSpans } = JSON.parse(body) as WireTraces;
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans.map((span) => received(span, factsOf(resource.attributes)))),
  );
}

function received(span: WireSpan, resource: Received['resource']): Received {
  return {
    ...{ traceId: span.traceId, spanId: span.spanId, name: span.name, kind: span.kind, resource },
    parentSpanId: span.parentSpanId || undefined,
    start: BigInt(span.startTimeUnixNano),
    end: BigInt(span.endTimeUnixNano),
    isError: span.status.code === STATUS_ERROR,
    facts: factsOf(span.attributes),
  };
}

function factsOf(attributes: readonly Attribute[]): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}
