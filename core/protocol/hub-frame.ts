import { z } from 'zod';
import { LIMITS } from '../plan/limits.ts';
import { ping, pong } from './agent-frame.ts';
import {
  agentName,
  definition,
  definitionHash,
  frameFlag,
  frameList,
  frameSlug,
  mapOf,
  message,
  sequence,
  text,
  traceparent,
  uuid,
  wholeNumber,
} from './fields.ts';
import { LINK_LIMITS } from './limits.ts';

const MOST_SLUGS = LINK_LIMITS.endpoints + LINK_LIMITS.pipelines;

/** What became of the endpoints and pipelines that the agent announced. */
const registration = {
  revision: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  registered: frameList(z.object({ name: frameSlug, url: text(LINK_LIMITS.urlChars) }), MOST_SLUGS),
  refused: frameList(z.object({ name: frameSlug, reason: message }), MOST_SLUGS),
  warnings: frameList(message, LINK_LIMITS.warnings),
};

/** The answer to `hello`. Each execution that was in flight is in `resume` (send what follows) or in `unknown` (drop it). */
const welcome = z.object({
  type: z.literal('welcome'),
  protocol: wholeNumber(1, 1_000),
  hub: text(255),
  ...registration,
  resume: frameList(z.object({ execution_id: uuid, stored_seq: sequence }), LINK_LIMITS.inFlight),
  unknown: frameList(uuid, LINK_LIMITS.inFlight),
  /** To a hosted runner: of its volumes those whose run has ended, or is none. */
  ended_runs: frameList(uuid, LINK_LIMITS.volumes).optional(),
});

/** The answer to `config`. */
const registered = z.object({ type: z.literal('registered'), ...registration });

const value = text(LIMITS.valueBytes);

/** What a hosted execution may have in its container; its `secrets` are also in its environment, by their own names (decision 13). */
const hosted = z.object({
  vcpus: wholeNumber(1, 1_024),
  memory_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  /** Whether it may reach a network: what the operator allows its workspace (reference 8). */
  network: frameFlag,
  /** The pipeline run whose steps share a volume at `/workspace`; absent: it has one of its own. */
  run_id: uuid.optional(),
});

const approval = z.object({
  key: text(64),
  signature: text(128),
  agent: agentName,
  requested_by: message,
  valid_until_ms: wholeNumber(0, Number.MAX_SAFE_INTEGER),
});

/** Runs an endpoint. With `definition` it is one that the agent does not have itself (decision 32). */
const run = z.object({
  type: z.literal('run'),
  execution_id: uuid,
  endpoint: frameSlug,
  hash: definitionHash,
  definition: definition.optional(),
  args: mapOf(value, LINK_LIMITS.args),
  /** The managed secrets that the command names, and no others; to a hosted runner all that it may have (decision 13). */
  secrets: mapOf(value, LINK_LIMITS.secrets),
  /** The step of a pipeline run that it is: its output says so (decision 43). */
  step: text(LINK_LIMITS.stepChars).optional(),
  /** Variables besides those of the definition (decision 32). */
  env: mapOf(value, LINK_LIMITS.variables).optional(),
  /** In seconds, where it is not that of the definition (decision 33). */
  timeout: wholeNumber(1, LIMITS.maxTimeoutSec).optional(),
  /** Values to mask in output, besides secrets. */
  mask: frameList(value, LINK_LIMITS.masks).optional(),
  /** Of one that is traced: where the command stands, for its environment (decision 12). */
  traceparent: traceparent.optional(),
  /** Of an endpoint with `approver_keys`: what an approver signed (decision 60). */
  approval: approval.optional(),
  /** To a hosted runner, with every order; to no other agent. */
  hosted: hosted.optional(),
});

const cancel = z.object({ type: z.literal('cancel'), execution_id: uuid });

/** All output up to `seq` is stored. */
const ack = z.object({ type: z.literal('ack'), execution_id: uuid, seq: sequence });

/** The end is stored: the agent may forget the execution. */
const endedAck = z.object({ type: z.literal('ended_ack'), execution_id: uuid });

/** A pipeline run has ended: its volume goes. To a hosted runner alone. */
const runEnded = z.object({ type: z.literal('run_ended'), run_id: uuid });

/** This hub stops: connect again at once, to another. */
const move = z.object({ type: z.literal('move') });

/** Why the connection is about to be closed. */
const error = z.object({ type: z.literal('error'), code: text(64), message });

/** What a hub says. */
export const hubFrameSchema = z.discriminatedUnion(
  'type',
  [welcome, registered, run, cancel, ack, endedAck, runEnded, move, error, ping, pong],
  { error: 'a frame of a hub' },
);
