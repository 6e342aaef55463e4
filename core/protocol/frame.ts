import type { z } from 'zod';
import { formatPath, type Path } from '../config/validation-issue.ts';
import { utf8Length } from '../endpoint/value/utf8-length.ts';
import { agentFrameSchema } from './agent-frame.ts';
import { hubFrameSchema } from './hub-frame.ts';
import { LINK_LIMITS } from './limits.ts';

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/** The text frames from an agent to a hub. */
export type AgentFrame = DeepReadonly<z.output<typeof agentFrameSchema>>;
/** The frames from a hub to an agent. */
export type HubFrame = DeepReadonly<z.output<typeof hubFrameSchema>>;

/** The frame of one type: `AgentFrameOf<'hello'>`. */
export type AgentFrameOf<Type extends AgentFrame['type']> = Extract<AgentFrame, { type: Type }>;
export type HubFrameOf<Type extends HubFrame['type']> = Extract<HubFrame, { type: Type }>;

/** The order to run an execution, as the hub sends it and as the agent receives it. */
export type ExecutionOrder = HubFrameOf<'run'>;

/** One endpoint as an agent announces it. */
export type AnnouncedEndpoint = AgentFrameOf<'hello'>['endpoints'][number];
/** One pipeline of its file. */
export type PipelineAnnouncement = NonNullable<AgentFrameOf<'hello'>['pipelines']>[number];
/** The ending of an execution in a frame. */
export type WireEnding = AgentFrameOf<'ended'>['ending'];

/** A frame, or why the text is invalid: `message` names the place and what is expected there, never a value. */
export type Decoded<Frame> =
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'refused'; readonly message: string };

const LARGE_TYPES: ReadonlySet<unknown> = new Set(['hello', 'config', 'welcome', 'registered', 'run']);

/** Encodes a frame. The caller respects the limits. */
export function encodeFrame(frame: AgentFrame | HubFrame): string {
  return JSON.stringify(frame);
}

/** Reads a frame of an agent. Never throws; drops unknown keys. */
export function decodeAgentFrame(text: string): Decoded<AgentFrame> {
  return decode(agentFrameSchema, text);
}

/** Reads a frame of a hub in the same way. */
export function decodeHubFrame(text: string): Decoded<HubFrame> {
  return decode(hubFrameSchema, text);
}

function decode<Schema extends z.ZodType>(schema: Schema, text: string): Decoded<z.output<Schema>> {
  if (isLonger(text, LINK_LIMITS.largeTextFrameBytes)) return refused('the frame is too long');
  const value = parseObject(text);
  if (value === undefined) return refused('a frame is one JSON object');
  if (!LARGE_TYPES.has(value.type) && isLonger(text, LINK_LIMITS.textFrameBytes)) {
    return refused('the frame is too long for its type');
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { kind: 'frame', frame: parsed.data };
  return refused(firstIssue(parsed.error.issues, value.type));
}

function refused(message: string): Extract<Decoded<never>, { kind: 'refused' }> {
  return { kind: 'refused', message };
}

function firstIssue([issue]: readonly z.core.$ZodIssue[], type: unknown): string {
  const path = (issue?.path ?? []) as Path;
  if (typeof type !== 'string' || path[0] === 'type') return `type: ${issue?.message} expected`;
  return `${formatPath([type, ...path])}: ${issue?.message} expected`;
}

function isLonger(text: string, bytes: number): boolean {
  return text.length > bytes || (text.length * 3 > bytes && utf8Length(text) > bytes);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    // Also for text that is nested too deep for the parser.
    return undefined;
  }
}
