import { wholeOutput } from './endpoints.ts';
import { dishonestyOf, type Evidence } from './evidence.ts';
import type { Seeded } from './seeded.ts';
import { SeenEvents } from './seen-events.ts';

export interface CallerOptions {
  readonly urls: readonly string[];
  readonly apiKey: string;
  readonly accessToken: string;
  readonly pools: number;
  readonly evidence: Evidence;
  readonly seeded: Seeded;
}

/** A hub that is silent for this long counts as faulty. */
const SILENCE_MS = 120_000;
const AGAIN_MS = 150;
/** Long enough for one to be killed in the middle. */
const PAUSES = ['0', '0', '0.05', '0.3', '1'];
const MAX_LINES = 60;
const SLOW_READERS = 0.2;
const SLOW_MS = 1_000;

interface ParsedAnswer {
  readonly status: number;
  readonly id: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Call {
  readonly path: string;
  readonly expected: string;
}

/** People and programs that call any hub, each in its own way, and record the answers. */
export class Callers {
  readonly #options: CallerOptions;
  readonly #work = new Set<Promise<void>>();
  #isOver = false;
  #count = 0;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  get calls(): number {
    return this.#count;
  }

  /** This many of them run, one call after the other, until `stop`. */
  begin(callers: number): void {
    for (let caller = 0; caller < callers; caller += 1) this.#keep(this.#repeat(() => this.#anything()));
    this.#keep(this.#repeat(() => this.#decideAll()));
  }

  /** Settles when the last caller has its answer; pending approvals are decided on until then. */
  async stop(): Promise<void> {
    this.#isOver = true;
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  /** Decides on all that waits now; true when nothing does. */
  async decideRest(): Promise<boolean> {
    return await this.#decideAll();
  }

  /** No schedule fires any more. */
  async pauseSchedules(): Promise<void> {
    for (let pool = 0; pool < this.#options.pools; pool += 1) {
      let received: ParsedAnswer | undefined;
      do received = await this.#manage(`/schedules/tick-${pool}/pause`, {});
      while (received === undefined || received.status >= 500);
    }
  }

  #keep(work: Promise<void>): void {
    const kept = work.finally(() => this.#work.delete(kept));
    this.#work.add(kept);
  }

  async #repeat(step: () => Promise<unknown>): Promise<void> {
    while (!this.#isOver) {
      await step();
      await Bun.sleep(this.#options.seeded.between(0, AGAIN_MS));
    }
  }

  async #anything(): Promise<void> {
    const { seeded } = this.#options;
    const ways = [
      () => this.#buffered(),
      () => this.#buffered(this.#newKey()),
      () => this.#buffered(this.#newKey()),
      () => this.#asynchronous(),
      () => this.#asynchronous(),
      () => this.#stream(),
      () => this.#stream(),
      () => this.#pendingCall(),
      () => this.#run(),
    ];
    await seeded.pick(ways)();
  }

  #newKey(): string {
    this.#count += 1;
    return `key-${this.#count}`;
  }

  #call(kind: 'job' | 'guarded' | 'bad', tag: string): Call {
    const { seeded, pools } = this.#options;
    const slug = `${kind}-${seeded.between(0, pools - 1)}`;
    const args =
      kind === 'bad'
        ? { tag }
        : { tag, lines: String(seeded.between(1, MAX_LINES)), pause: seeded.pick(PAUSES) };
    return { path: `/v1/local/${slug}?${new URLSearchParams(args)}`, expected: wholeOutput(slug, args) };
  }

  #anyCall(tag: string): Call {
    return this.#call(this.#options.seeded.chance(0.1) ? 'bad' : 'job', tag);
  }

  /** Waits for the answer; with a key it asks until it has one. */
  async #buffered(key?: string): Promise<void> {
    const { evidence } = this.#options;
    const call = this.#anyCall(key ?? '');
    const headers = { accept: 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
    for (;;) {
      const received = await this.#ask(call.path, { method: 'POST', headers });
      if (received !== undefined) this.#noteAnswer(call, received);
      if (key === undefined || this.#isOver) return;
      const isAccepted =
        received?.status === 200 || received?.status === 202 || received?.body.code === 'lost';
      if (isAccepted && received?.id !== undefined) return evidence.underKey(key, received.id);
      await Bun.sleep(AGAIN_MS);
    }
  }

  #noteAnswer({ expected }: Call, { status, id, body }: ParsedAnswer): void {
    const { evidence } = this.#options;
    if (id === undefined) return;
    this.#noteAccepted(status, id);
    if (status !== 200) return;
    const { output, exit_code: exitCode } = body as { output: string; exit_code: number };
    evidence.results.set(id, { exitCode, output });
    if (output !== expected) evidence.dishonest.push(`${id}: "${output}" instead of "${expected}"`);
  }

  /** A hub that cannot find out whether a forwarded call runs answers 503 with its id, which acknowledges nothing. */
  #noteAccepted(status: number, id: string): void {
    if (status !== 503) this.#options.evidence.acknowledged.add(id);
  }

  async #asynchronous(): Promise<void> {
    const { seeded } = this.#options;
    const received = await this.#ask(this.#anyCall('').path, {
      method: 'POST',
      headers: { prefer: 'respond-async' },
    });
    if (received?.id === undefined) return;
    this.#noteAccepted(received.status, received.id);
    if (received.status !== 202 || !seeded.chance(0.3)) return;
    await Bun.sleep(seeded.between(0, AGAIN_MS));
    await this.#ask(`/executions/${received.id}/cancel`, { method: 'POST' });
  }

  async #pendingCall(): Promise<void> {
    const received = await this.#ask(this.#call('guarded', '').path, { method: 'POST' });
    if (received?.id !== undefined) this.#noteAccepted(received.status, received.id);
  }

  /** Begins one run, however often it has to ask; and now and then ends it. */
  async #run(): Promise<void> {
    const { evidence, seeded } = this.#options;
    const key = this.#newKey();
    const headers = {
      prefer: 'respond-async',
      'idempotency-key': key,
      'content-type': 'application/json',
    };
    for (;;) {
      const received = await this.#ask('/v1/local/chain', {
        method: 'POST',
        headers,
        body: JSON.stringify({ tag: key }),
      });
      const { run_id: id } = (received?.body ?? {}) as { run_id?: string };
      if (id !== undefined) {
        evidence.acknowledgedRuns.add(id);
        evidence.underKey(key, id);
        if (seeded.chance(0.15)) await this.#manage(`/pipeline-runs/${id}/cancel`, {});
        return;
      }
      if (this.#isOver) return;
      await Bun.sleep(AGAIN_MS);
    }
  }

  /** Follows the events, at another hub where a connection breaks, until they end; nothing may come twice or be missing. */
  async #stream(): Promise<void> {
    const { evidence } = this.#options;
    const call = this.#anyCall('');
    const first = await this.#fetch(call.path, { method: 'POST', headers: { accept: 'text/event-stream' } });
    const id = first?.headers.get('x-execution-id') ?? undefined;
    if (first === undefined || id === undefined) return;
    this.#noteAccepted(first.status, id);
    if (!first.ok) return void (await this.#read(first));
    const seen = new SeenEvents(this.#options.seeded.chance(SLOW_READERS) ? SLOW_MS : 0);
    await seen.read(first);
    // The events of a call have no ids: who wants to go on from the middle reads from the beginning.
    const before = seen.lines.length;
    if (seen.exitCode === undefined) seen.forget();
    while (seen.exitCode === undefined) {
      const state = await this.#ask(`/executions/${id}`, {});
      if (state !== undefined && isOver(state.body.status)) {
        if (state.body.status !== 'succeeded' && state.body.status !== 'failed') return;
      } else if (this.#isOver) return;
      const again = await this.#fetch(`/executions/${id}/stream`, {
        headers: { 'last-event-id': seen.lastEventId },
      });
      if (again?.ok === true) await seen.read(again);
      else await Bun.sleep(AGAIN_MS);
    }
    if (seen.isCutShort) evidence.dishonest.push(`${id}: a stream ended without its last event`);
    const output = [...seen.lines, ''].join('\n');
    evidence.results.set(id, { exitCode: seen.exitCode, output });
    evidence.count(before === seen.lines.length ? 'stream in one piece' : 'stream in pieces');
    if (output !== call.expected)
      evidence.dishonest.push(`${id}: streamed "${output}" instead of "${call.expected}"`);
  }

  /** Three people decide at once, at whatever hubs. */
  async #decideAll(): Promise<boolean> {
    const { evidence, seeded } = this.#options;
    const list = await this.#manage('/approvals?status=pending_approval&limit=50');
    const { items } = (list?.body ?? {}) as { items?: readonly { readonly approval_id: string }[] };
    for (const { approval_id: approvalId } of items ?? []) {
      const decisions = Array.from({ length: 3 }, () =>
        seeded.chance(0.8) ? ('approve' as const) : ('deny' as const),
      );
      await Promise.all(
        decisions.map(async (decision) => {
          const received = await this.#manage(`/approvals/${approvalId}/decide`, { decision });
          if (received !== undefined)
            evidence.decisions.push({ approvalId, decision, status: received.status });
        }),
      );
    }
    return items?.length === 0;
  }

  /** As the owner; a body is sent by POST. */
  #manage(path: string, body?: object): Promise<ParsedAnswer | undefined> {
    const headers = {
      authorization: `Bearer ${this.#options.accessToken}`,
      'content-type': 'application/json',
    };
    return this.#ask(
      path,
      body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
    );
  }

  async #ask(path: string, init: RequestInit): Promise<ParsedAnswer | undefined> {
    const response = await this.#fetch(path, init);
    return response && (await this.#read(response, path));
  }

  /** Undefined where the connection breaks. */
  async #read(response: Response, path = ''): Promise<ParsedAnswer | undefined> {
    const { evidence } = this.#options;
    const text = await response.text().catch(() => undefined);
    if (text === undefined) {
      evidence.count('connection broken in the answer');
      return undefined;
    }
    const body = (text === '' ? {} : JSON.parse(text)) as ParsedAnswer['body'];
    const { status } = response;
    evidence.count(typeof body.code === 'string' ? `${status} ${body.code}` : `${status}`);
    const wrong = dishonestyOf(status, body);
    if (wrong !== undefined) evidence.dishonest.push(`${path}: ${wrong}`);
    return { status, id: response.headers.get('x-execution-id') ?? undefined, body };
  }

  async #fetch(path: string, init: RequestInit): Promise<Response | undefined> {
    const { urls, apiKey, evidence, seeded } = this.#options;
    const { authorization } = (init.headers ?? {}) as { authorization?: string };
    const credential = authorization === undefined ? { 'x-api-key': apiKey } : {};
    try {
      return await fetch(`${seeded.pick(urls)}${path}`, {
        ...init,
        // NOTE: On a connection that was kept Bun sends a request a second time when the first broke off, unasked.
        keepalive: false,
        signal: AbortSignal.timeout(SILENCE_MS),
        headers: { ...credential, ...(init.headers as Record<string, string> | undefined) },
      });
    } catch (error) {
      if ((error as Error).name === 'TimeoutError') evidence.dishonest.push(`${path}: silence`);
      evidence.count('no connection');
      return undefined;
    }
  }
}

function isOver(status: unknown): boolean {
  return typeof status === 'string' && !['pending_approval', 'queued', 'running'].includes(status);
}
