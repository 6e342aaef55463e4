import { setTimeout as pause } from 'node:timers/promises';
import { connect, errors, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { BUS_VERSION, type BusFrame, decodeBusFrame, encodeBusFrame } from '@svc/core/bus/frame';
import type { Bus, BusReply, BusSubject } from './bus.ts';
import { type NatsSettings, natsOptions } from './nats-settings.ts';
import { watchPulse } from './pulse.ts';
import { SilentPeers } from './silent-peers.ts';

/** Told what happens on the bus, for logs, metrics and traces. */
export interface NatsObserver {
  /** `error`: why the bus is not connected. */
  readonly state: (isConnected: boolean, error?: Error) => void;
  readonly bug: (error: unknown) => void;
  /** Returns the question as it is sent to the other hub. */
  readonly asking?: (question: BusFrame) => BusFrame;
  /** @param sentAtMs of `performance.now()` */
  readonly answered?: (sentAtMs: number) => void;
  /** Another hub asks. */
  readonly asked?: (question: BusFrame) => void;
}

type Listener = (frame: BusFrame, from: string, message: Msg) => void;

interface Subscribed {
  readonly subject: string;
  readonly listener: (message: Msg) => void;
  at: Subscription | undefined;
}

/** Before the first connection; after that the client tries by itself. */
const RETRY_MS = 1_000;
const CLOSE_MS = 1_000;

/**
 * The bus for several hubs: core NATS, at most once. It reconnects for ever, and a hub starts and works without it.
 *
 * NOTE: Nothing is published while the bus is not connected. The client would buffer frames until they are out of date.
 */
export class NatsBus implements Bus {
  readonly #settings: NatsSettings;
  readonly #observer: NatsObserver;
  readonly #subscribed = new Set<Subscribed>();
  readonly #listeners: ((isConnected: boolean) => void)[] = [];
  readonly #closing = new AbortController();
  /** Questions from other hubs that this hub has not answered. */
  readonly #answering = new Set<Promise<void>>();
  #hubId = '';
  #connection: NatsConnection | undefined;
  #isConnected = false;
  /** The broker does not answer: requests fail at once, although the connection is not closed yet. */
  #isSuspect = false;
  readonly #peers = new SilentPeers();
  #ignored = 0;
  #over: Promise<void> = Promise.resolve();

  constructor(settings: NatsSettings, observer: NatsObserver) {
    this.#settings = settings;
    this.#observer = observer;
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  get ignored(): number {
    return this.#ignored;
  }

  join(hubId: string): void {
    this.#hubId = hubId;
    this.#over = this.#stay();
  }

  publish(to: BusSubject, frame: BusFrame): void {
    if (!this.#isConnected || this.#closing.signal.aborted) return;
    const text = encodeBusFrame(this.#hubId, frame);
    if (text === undefined) this.#observer.bug(new Error(`a frame "${frame.type}" is too long`));
    else this.#guarded(() => this.#connection?.publish(wireSubject(to), text));
  }

  subscribe(to: BusSubject, listener: (frame: BusFrame, from: string) => void): () => void {
    return this.#subscribe(wireSubject(to), this.#framed(listener));
  }

  async ask(hubId: string, frame: BusFrame, withinMs: number): Promise<BusReply> {
    const connection = this.#connection;
    if (!this.#isConnected || this.#isSuspect || connection === undefined) return { kind: 'lost' };
    const sentAtMs = performance.now();
    const question = this.#observer.asking?.(frame) ?? frame;
    const request = () => this.#request(connection, hubId, question, withinMs);
    const reply = await this.#peers.ask(hubId, question, request);
    if (reply.kind === 'answered') this.#observer.answered?.(sentAtMs);
    return reply;
  }

  async #request(
    connection: NatsConnection,
    hubId: string,
    frame: BusFrame,
    withinMs: number,
  ): Promise<BusReply> {
    try {
      const text = encodeBusFrame(this.#hubId, frame);
      const answer = await connection.request(requestSubject(hubId, frame), text, { timeout: withinMs });
      const decoded = this.#decode(answer);
      return decoded === undefined ? { kind: 'late' } : { kind: 'answered', frame: decoded.frame };
    } catch (error) {
      return { kind: whyUnanswered(error) };
    }
  }

  answer(answer: (frame: BusFrame, from: string) => Promise<BusFrame | undefined>): void {
    const listener: Listener = (frame, from, message) => {
      this.#observer.asked?.(frame);
      const answering = answer(frame, from)
        .then((answered) => {
          const text = answered && encodeBusFrame(this.#hubId, answered);
          if (text !== undefined) this.#guarded(() => message.respond(text));
        })
        .catch((error: unknown) => this.#observer.bug(error))
        .finally(() => this.#answering.delete(answering));
      this.#answering.add(answering);
    };
    for (const subject of requestSubjects(this.#hubId)) this.#subscribe(subject, this.#framed(listener));
  }

  feed(feedId: string, message: Uint8Array): void {
    if (this.#isConnected) this.#guarded(() => this.#connection?.publish(feedSubject(feedId), message));
  }

  subscribeFeed(feedId: string, listener: (message: Uint8Array) => void): () => void {
    return this.#subscribe(feedSubject(feedId), ({ data }) => listener(data));
  }

  onState(listener: (isConnected: boolean) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    const isConnected = this.#isConnected;
    this.#closing.abort();
    const drained = isConnected && connection ? this.#drain(connection) : undefined;
    await Promise.race([drained?.catch(() => undefined), pause(CLOSE_MS, undefined, { ref: false })]);
    await connection?.close();
    // A broker that accepts no connection and refuses none would delay an attempt for too long.
    await Promise.race([this.#over, pause(CLOSE_MS, undefined, { ref: false })]);
  }

  /** No new request can begin; pending ones get an answer. */
  async #drain(connection: NatsConnection): Promise<void> {
    await Promise.all([...this.#subscribed].flatMap(({ at }) => at?.drain() ?? []));
    await Promise.all(this.#answering);
    await connection.drain();
  }

  /** Repeats until the bus is closed. */
  async #stay(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const connection = await connect(natsOptions(this.#settings, `svc ${this.#hubId}`));
        if (signal.aborted) return await connection.close();
        await this.#serve(connection);
      } catch (error) {
        this.#setState(false, error instanceof Error ? error : new Error('no connection', { cause: error }));
      }
      await pause(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection is closed for good. */
  async #serve(connection: NatsConnection): Promise<void> {
    this.#connection = connection;
    for (const one of this.#subscribed) this.#attach(one, connection);
    await this.#reached(connection);
    const stopWatching = watchPulse(connection, (isSuspect) => this.#suspect(isSuspect));
    for await (const { type } of connection.status()) {
      if (type === 'disconnect' || type === 'staleConnection') this.#setState(false);
      else if (type === 'reconnect') await this.#reached(connection);
    }
    stopWatching();
    this.#suspect(false);
    const error = await connection.closed();
    for (const one of this.#subscribed) one.at = undefined;
    this.#connection = undefined;
    this.#setState(false, error ?? undefined);
  }

  /** After this report every later message of other hubs is received. */
  async #reached(connection: NatsConnection): Promise<void> {
    await connection.flush().then(
      () => this.#setState(true),
      () => undefined,
    );
  }

  /** Pending requests fail at once; `isConnected` keeps the state that the client reports. */
  #suspect(isSuspect: boolean): void {
    this.#isSuspect = isSuspect;
    if (isSuspect) this.#peers.giveUpAll();
  }

  #setState(isConnected: boolean, error?: Error): void {
    const isNew = isConnected !== this.#isConnected;
    this.#isConnected = isConnected;
    if (this.#closing.signal.aborted) return;
    if (isNew || error !== undefined) this.#observer.state(isConnected, error);
    if (isNew) this.#peers.forgetAll();
    if (isNew) for (const listener of this.#listeners) this.#guarded(() => listener(isConnected));
  }

  /** Malformed frames are only counted; they may come from a later version or an attacker. */
  #framed(listener: Listener): Subscribed['listener'] {
    return (message) => {
      const decoded = this.#decode(message);
      if (decoded !== undefined) listener(decoded.frame, decoded.from, message);
    };
  }

  #subscribe(subject: string, listener: Subscribed['listener']): () => void {
    const one: Subscribed = { subject, listener, at: undefined };
    this.#subscribed.add(one);
    if (this.#connection !== undefined) this.#attach(one, this.#connection);
    return () => {
      if (this.#subscribed.delete(one)) this.#guarded(() => one.at?.unsubscribe());
    };
  }

  #attach(one: Subscribed, connection: NatsConnection): void {
    this.#guarded(() => {
      one.at = connection.subscribe(one.subject, {
        callback: (error, message) => {
          if (error !== null) return this.#observer.bug(error);
          this.#guarded(() => one.listener(message));
        },
      });
    });
  }

  #decode(message: Msg): { readonly from: string; readonly frame: BusFrame } | undefined {
    const decoded = decodeBusFrame(message.string());
    if (decoded.kind === 'frame') {
      this.#peers.responded(decoded.from);
      return decoded;
    }
    this.#ignored += 1;
    return undefined;
  }

  /** The client throws when a connection that is about to end is used. */
  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      if (!isEnding(error)) this.#observer.bug(error);
    }
  }
}

function wireSubject(to: BusSubject): string {
  return `svc.${BUS_VERSION}.${to}`;
}

/** The subject of a request to a hub. A hub of an older version does not subscribe to calls, so a request to it fails at once. */
function requestSubject(hubId: string, { type }: Pick<BusFrame, 'type'>): string {
  return type === 'call' ? wireSubject(`hub.${hubId}.calls`) : wireSubject(`hub.${hubId}`);
}

function requestSubjects(hubId: string): string[] {
  return [requestSubject(hubId, { type: 'take' }), requestSubject(hubId, { type: 'call' })];
}

function feedSubject(feedId: string): string {
  return `svc.${BUS_VERSION}.feed.${feedId}`;
}

function whyUnanswered(error: unknown): 'nobody' | 'late' | 'lost' {
  if (error instanceof errors.NoRespondersError) return 'nobody';
  if (error instanceof errors.RequestError && error.isNoResponders()) return 'nobody';
  return error instanceof errors.TimeoutError ? 'late' : 'lost';
}

function isEnding(error: unknown): boolean {
  return error instanceof errors.ClosedConnectionError || error instanceof errors.DrainingConnectionError;
}
