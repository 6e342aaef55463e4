import { z } from 'zod';
import { REFUSAL_CODES } from '../refusal.ts';
import { liveEventSchema } from './news-schema.ts';

/** In every frame, and in the names of the subjects: hubs of two versions that do not understand each other do not meet. */
export const BUS_VERSION = 1;
/** In characters. A broker takes 1 MiB. */
export const BUS_FRAME_CHARS = 256 * 1024;
/** So many ids are in one frame at most. */
export const BUS_IDS = 1_000;
/** As much as may be told at once (`LiveEventBatch`), and some more. */
const MOST_NEWS = 500;

/** Ids are parts of subjects, so nothing is in them that means something there. */
const id = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
const ids = z.array(id).max(BUS_IDS);

/** What a cache has to ask for anew. */
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
  /** Nothing is on record, and nothing runs: who asked is to put it on record. */
  z.object({ as: z.literal('left') }),
]);

const frameSchema = z.discriminatedUnion('type', [
  /** Which workspaces somebody follows at the hub; `isFirst`: all that it said before is void; `asks`: it wants to hear the same. */
  z.object({ type: z.literal('here'), workspaces: ids, isFirst: z.boolean(), asks: z.boolean() }),
  z.object({ type: z.literal('listens'), workspaceId: id, isOn: z.boolean() }),
  z.object({ type: z.literal('leaves') }),
  z.object({
    type: z.literal('news'),
    bundle: z.union([z.literal('overfull'), z.array(liveEventSchema).max(MOST_NEWS)]),
  }),
  z.object({ type: z.literal('forget'), what: forgotten }),
  /** Executions and runs of which the store has something new. */
  z.object({ type: z.literal('changed'), ids }),
  z.object({ type: z.literal('cancel_asked'), executionId: id }),
  z.object({ type: z.literal('run_cancel_asked') }),
  /** Something waits for an agent of the workspace that is not at the hub. */
  z.object({ type: z.literal('waits'), workspaceId: id }),
  /** A credential was ended: whoever has a connection by it looks at it again. */
  z.object({ type: z.literal('review') }),
  /** Agents of these workspaces came to the hub, or left it. */
  z.object({ type: z.literal('agents'), workspaceIds: ids }),
  /** The hub stops, and has asked the agents of these workspaces to go to another one. */
  z.object({ type: z.literal('moves'), workspaceIds: ids }),
  /** Hosts of the hosted runner did. */
  z.object({ type: z.literal('hosts') }),
  /** A caller waits for it at the hub that asks: whoever has an agent for it is to begin it, and to feed its output to that hub. */
  z.object({
    type: z.literal('take'),
    executionId: id,
    feed: id.optional(),
    /** Of a call that is traced: where it stands. */
    traceparent: id.optional(),
  }),
  /** A call that is on no record yet, for an agent that the hub has: it is to do with it as with one of its own callers. */
  z.object({
    type: z.literal('call'),
    executionId: id,
    workspaceId: id,
    /** A `ForwardedCall`, sealed for the hub: only another hub can have written it, and nobody else reads it. */
    sealed: z.string(),
    feed: id.optional(),
    traceparent: id.optional(),
  }),
  /** Its output is wanted, from now on. */
  z.object({ type: z.literal('follow'), executionId: id, feed: id }),
  /** So many bytes of the feed have gone on from there. */
  z.object({ type: z.literal('fed'), feed: id, bytes: z.int().positive() }),
  z.object({ type: z.literal('unfollow'), feed: id }),
  // Answers.
  z.object({ type: z.literal('done') }),
  z.object({ type: z.literal('taken'), as: z.enum(TAKEN), fed: fed.optional() }),
  z.object({ type: z.literal('called'), outcome: called }),
  z.object({ type: z.literal('feeds'), fed }),
]);

/**
 * What became of an execution that a hub was asked to take. `begun`, and `waits` for a place on the hosted runner, are so;
 * otherwise nothing is changed, and whoever asked decides.
 */
export type TakenAs = (typeof TAKEN)[number];
/** What became of a call that a hub was given. */
export type CalledAs = z.output<typeof called>;
/** Where a feed begins: all before this number is on record. */
export type Fed = z.output<typeof fed>;

/** What hubs say to each other. All of it is a hint to look at the store, but for news and answers, which are about what the store has, too. */
export type BusFrame = z.output<typeof frameSchema>;
export type BusFrameOf<Type extends BusFrame['type']> = Extract<BusFrame, { type: Type }>;
export type Forgotten = z.output<typeof forgotten>;

const envelopeSchema = z.object({ v: z.literal(BUS_VERSION), from: id, frame: frameSchema });

export type DecodedBusFrame =
  | { readonly kind: 'frame'; readonly from: string; readonly frame: BusFrame }
  | { readonly kind: 'refused' };

/** Undefined when it is longer than a frame may be. */
export function encodeBusFrame(from: string, frame: BusFrame): string | undefined {
  const text = JSON.stringify({ v: BUS_VERSION, from, frame });
  return text.length > BUS_FRAME_CHARS ? undefined : text;
}

/** Never throws, whatever the text. */
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
