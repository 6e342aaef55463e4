import { z } from 'zod';
import { LIMITS } from '../plan/limits.ts';
import { ping, pong } from './agent-frame.ts';
import {
  definition,
  definitionHash,
  listOf,
  mapOf,
  message,
  sequence,
  slug,
  text,
  uuid,
  wholeNumber,
} from './fields.ts';
import { LINK_LIMITS } from './limits.ts';

/** What became of the endpoints that the agent announced. */
const registration = {
  revision: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  registered: listOf(z.object({ name: slug, url: text(LINK_LIMITS.urlChars) }), LINK_LIMITS.endpoints),
  refused: listOf(z.object({ name: slug, reason: message }), LINK_LIMITS.endpoints),
  warnings: listOf(message, LINK_LIMITS.warnings),
};

/** The answer to `hello`. Each execution that was in flight is in `resume` (send what follows) or in `unknown` (drop it). */
const welcome = z.object({
  type: z.literal('welcome'),
  protocol: wholeNumber(1, 1_000),
  hub: text(255),
  ...registration,
  resume: listOf(z.object({ execution_id: uuid, stored_seq: sequence }), LINK_LIMITS.inFlight),
  unknown: listOf(uuid, LINK_LIMITS.inFlight),
});

/** The answer to `config`. */
const registered = z.object({ type: z.literal('registered'), ...registration });

const value = text(LIMITS.valueBytes);

/** Runs an endpoint. With `definition` it is one that the agent does not have itself (decision 32). */
const run = z.object({
  type: z.literal('run'),
  execution_id: uuid,
  endpoint: slug,
  hash: definitionHash,
  definition: definition.optional(),
  args: mapOf(value, LINK_LIMITS.args),
  /** The managed secrets that the command names, and no others (decision 13). */
  secrets: mapOf(value, LINK_LIMITS.secrets),
  /** Variables besides those of the definition (decision 32). */
  env: mapOf(value, LINK_LIMITS.variables).optional(),
  /** In seconds, where it is not that of the definition (decision 33). */
  timeout: wholeNumber(1, LIMITS.maxTimeoutSec).optional(),
  /** Values to mask in output, besides secrets. */
  mask: listOf(value, LINK_LIMITS.masks).optional(),
});

const cancel = z.object({ type: z.literal('cancel'), execution_id: uuid });

/** All output up to `seq` is stored. */
const ack = z.object({ type: z.literal('ack'), execution_id: uuid, seq: sequence });

/** The end is stored: the agent may forget the execution. */
const endedAck = z.object({ type: z.literal('ended_ack'), execution_id: uuid });

/** This hub stops: connect again at once, to another. */
const move = z.object({ type: z.literal('move') });

/** Why the connection is about to be closed. */
const error = z.object({ type: z.literal('error'), code: text(64), message });

/** What a hub says. */
export const hubFrameSchema = z.discriminatedUnion(
  'type',
  [welcome, registered, run, cancel, ack, endedAck, move, error, ping, pong],
  { error: 'a frame of a hub' },
);
