import { z } from 'zod';
import { REFUSAL_CODES } from '../refusal.ts';
import { liveEventSchema } from './live-event-schema.ts';

/** The version in every frame and subject. Hubs with different versions do not exchange frames. */
export const BUS_VERSION = 1;
/** In characters. A broker accepts 1 MiB. */
export const BUS_FRAME_CHARS = 256 * 1024;
/** The most ids in one frame. */
export const BUS_IDS = 1_000;
/** The limit of a `LiveEventBatch`, and some more. */
const MAX_BATCH_EVENTS = 500;
const MAX_FILTER_CHARS = 500;

/** Ids are parts of subjects, so they contain no character with a meaning there. */
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const ids = z.array(id).max(BUS_IDS);

/** The kinds of cached entries that a hub has to read again. */
const forgotten = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('workspace'), id }),
  z.object({ kind: z.literal('key'), id }),
  z.object({ kind: z.literal('keys_of_user'), userId: id }),
  z.object({ kind: z.literal('keys_of_workspace'), workspaceId: id }),
  z.object({ kind: z.literal('endpoints'), workspaceId: id }),
  z.object({ kind: z.literal('pipelines'), workspaceId: id }),
]);

const TAKEN = ['begun', 'waits', 'no_agent', 'busy', 'not_queued'] as const;

const fed = z.object({ fromSeq: z.int().positive() });

const called = z.discriminatedUnion('as', [
  z.object({ as: z.literal('running'), fed: fed.optional() }),
  z.object({ as: z.literal('repeated'), executionId: id, requestHash: z.string() }),
  z.object({
    as: z.literal('refused'),
    code: z.enum(REFUSAL_CODES),
    message: z.string(),
    details: z.record(z.string(), z.unknown()),
  }),
  /** Nothing is recorded and nothing runs; the hub that asked records the call. */
  z.object({ as: z.literal('left') }),
]);

const frameSchema = z.discriminatedUnion('type', [
  /**
   * The workspaces that this hub follows. `isFirst`: earlier lists are void. `asks`: the receiver should answer with its
   * own list.
   */
  z.object({ type: z.literal('here'), workspaces: ids, isFirst: z.boolean(), asks: z.boolean() }),
  z.object({ type: z.literal('listens'), workspaceId: id, isOn: z.boolean() }),
  z.object({ type: z.literal('leaves') }),
  z.object({
    type: z.literal('news'),
    bundle: z.union([z.literal('overfull'), z.array(liveEventSchema).max(MAX_BATCH_EVENTS)]),
  }),
  z.object({ type: z.literal('forget'), what: forgotten }),
  /** Executions and runs that changed in the store. */
  z.object({ type: z.literal('changed'), ids }),
  z.object({ type: z.literal('cancel_asked'), executionId: id }),
  z.object({ type: z.literal('run_cancel_asked') }),
  /** A call waits for an agent that is not connected to this hub. */
  z.object({ type: z.literal('waits'), workspaceId: id }),
  /** A credential was revoked. Each hub checks its connections with that credential again. */
  z.object({ type: z.literal('review') }),
  /** Agents of these workspaces connected to this hub or disconnected. */
  z.object({ type: z.literal('agents'), workspaceIds: ids }),
  /** This hub stops and has asked the agents of these workspaces to connect to another one. */
  z.object({ type: z.literal('moves'), workspaceIds: ids }),
  /** Hosts of the hosted runner connected or disconnected. */
  z.object({ type: z.literal('hosts') }),
  /**
   * A caller waits for this execution at the sending hub. The hub with a suitable agent begins it, and feeds its output to
   * that hub.
   */
  z.object({
    type: z.literal('take'),
    executionId: id,
    feed: id.optional(),
    /** The trace context, for a traced call. */
    traceparent: id.optional(),
  }),
  /**
   * A call without a record yet, for an agent that the receiving hub has. The receiver treats it like a call of its own
   * callers.
   */
  z.object({
    type: z.literal('call'),
    executionId: id,
    workspaceId: id,
    /**
     * A `ForwardedCall`, sealed for the receiving hub: only another hub can have written it, and no other reader can open
     * it.
     */
    sealed: z.string(),
    feed: id.optional(),
    traceparent: id.optional(),
  }),
  /** A follower wants the output from now on. */
  z.object({ type: z.literal('follow'), executionId: id, feed: id }),
  /** The number of bytes of the feed that were passed on. */
  z.object({ type: z.literal('fed'), feed: id, bytes: z.int().positive() }),
  z.object({ type: z.literal('unfollow'), feed: id }),
  /**
   * A reader at the sending hub wants the lines of all executions of a workspace that match the filter. The frame is repeated
   * as long as the reader stays. It goes to a subject of its own, so hubs of earlier versions do not receive it.
   */
  z.object({
    type: z.literal('tail'),
    tail: id,
    workspaceId: id,
    filter: z.object({
      keyId: id.optional(),
      slug: z.string().max(MAX_FILTER_CHARS).optional(),
      agentName: z.string().max(MAX_FILTER_CHARS).optional(),
      stream: z.literal('stderr').optional(),
      text: z.string().max(MAX_FILTER_CHARS).optional(),
    }),
  }),
  z.object({ type: z.literal('untail'), tail: id }),
  // Answers to requests of other hubs.
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('taken'), as: z.enum(TAKEN), fed: fed.optional() }),
  z.object({ type: z.literal('called'), outcome: called }),
  z.object({ type: z.literal('feeds'), fed }),
]);

/**
 * The result of asking a hub to take an execution. `begun`: it runs there. `waits`: it waits there for a slot of the hosted
 * runner. With any other result nothing changed, and the hub that asked decides.
 */
export type TakenAs = (typeof TAKEN)[number];
/** The result of a forwarded call. */
export type CalledAs = z.output<typeof called>;
/** The start of a feed. Everything before this number is in the record. */
export type Fed = z.output<typeof fed>;

/** The frames between hubs. All are hints to read the store, except live events and answers, which carry facts. */
export type BusFrame = z.output<typeof frameSchema>;
export type BusFrameOf<Type extends BusFrame['type']> = Extract<BusFrame, { type: Type }>;
export type Forgotten = z.output<typeof forgotten>;

const envelopeSchema = z.object({ v: z.literal(BUS_VERSION), from: id, frame: frameSchema });

export type DecodedBusFrame =
  | { readonly kind: 'frame'; readonly from: string; readonly frame: BusFrame }
  | { readonly kind: 'refused' };

/** Undefined if the frame would be too long. */
export function encodeBusFrame(from: string, frame: BusFrame): string | undefined {
  const text = JSON.stringify({ v: BUS_VERSION, from, frame });
  return text.length > BUS_FRAME_CHARS ? undefined : text;
}

/** Decodes a frame; never throws, whatever the text. */
export function decodeBusFrame(text: string): DecodedBusFrame {
  if (text.length > BUS_FRAME_CHARS) return { kind: 'refused' };
  const parsed = envelopeSchema.safeParse(parsedJson(text));
  if (!parsed.success) return { kind: 'refused' };
  const { from, frame } = parsed.data;
  return { kind: 'frame', from, frame };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
