import { z } from 'zod';
import { approvedFileSchema } from '../execution/received-file.ts';
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
  offset,
  sequence,
  text,
  traceparent,
  uuid,
  wholeNumber,
} from './fields.ts';
import { LINK_LIMITS } from './limits.ts';

const MAX_SLUGS = LINK_LIMITS.endpoints + LINK_LIMITS.pipelines;

/** The outcome of a registration of endpoints and pipelines. */
const registration = {
  revision: wholeNumber(0, Number.MAX_SAFE_INTEGER),
  registered: frameList(z.object({ name: frameSlug, url: text(LINK_LIMITS.urlChars) }), MAX_SLUGS),
  refused: frameList(z.object({ name: frameSlug, reason: message }), MAX_SLUGS),
  warnings: frameList(message, LINK_LIMITS.warnings),
};

/** The answer to `hello`. Each execution in flight is in `resume` (send what follows) or in `unknown` (drop it). */
const welcome = z.object({
  type: z.literal('welcome'),
  protocol: wholeNumber(1, 1_000),
  hub: text(255),
  ...registration,
  resume: frameList(z.object({ execution_id: uuid, stored_seq: sequence }), LINK_LIMITS.inFlight),
  unknown: frameList(uuid, LINK_LIMITS.inFlight),
  /** Only to a hosted runner: its volumes without a running pipeline run. */
  ended_runs: frameList(uuid, LINK_LIMITS.volumes).optional(),
  /** The hub knows `input_want`. */
  stdin: frameFlag.optional(),
});

/** The answer to `config`. */
const registered = z.object({ type: z.literal('registered'), ...registration });

const value = text(LIMITS.valueBytes);

/**
 * The limits of a hosted execution; its `secrets` are also in its environment, by their own names (decision 13, managed
 * secrets).
 */
const hosted = z.object({
  vcpus: wholeNumber(1, 1_024),
  memory_bytes: wholeNumber(1, Number.MAX_SAFE_INTEGER),
  /** Whether it has a network, as the operator allows its workspace (reference 8). */
  network: frameFlag,
  /** The pipeline run whose steps share a volume at `/workspace`; absent: a private one. */
  run_id: uuid.optional(),
});

const approval = z.object({
  key: text(64),
  signature: text(128),
  agent: agentName,
  requested_by: message,
  valid_until_ms: wholeNumber(0, Number.MAX_SAFE_INTEGER),
});

/**
 * Runs an endpoint. `definition` is present if the agent does not have it (decision 32, commands of a file stay on the
 * agent).
 */
const run = z.object({
  type: z.literal('run'),
  execution_id: uuid,
  endpoint: frameSlug,
  hash: definitionHash,
  definition: definition.optional(),
  args: mapOf(value, LINK_LIMITS.args),
  /** The managed secrets that the command names; for a hosted runner all that it may use (decision 13, managed secrets). */
  secrets: mapOf(value, LINK_LIMITS.secrets),
  /** The step of a pipeline run, which its output names (decision 43, calling a pipeline). */
  step: text(LINK_LIMITS.stepChars).optional(),
  /** Variables besides those of the definition (decision 32, commands of a file stay on the agent). */
  env: mapOf(value, LINK_LIMITS.variables).optional(),
  /**
   * The timeout in seconds, if it differs from that of the definition (decision 33, the file is the source of its
   * endpoints).
   */
  timeout: wholeNumber(1, LIMITS.maxTimeoutSec).optional(),
  /** Values to mask in output, in addition to secrets. */
  mask: frameList(value, LINK_LIMITS.masks).optional(),
  /** The trace context for the environment of the command, if it is traced (decision 12, the environment of a command). */
  traceparent: traceparent.optional(),
  /** The signed approval, for an endpoint with `approver_keys` (decision 60, the file is a floor). */
  approval: approval.optional(),
  /** In every order to a hosted runner, and in no other. */
  hosted: hosted.optional(),
  /** The body of the call follows in binary frames, once the agent asks for it (decision 73, the body as standard input). */
  stdin: frameFlag.optional(),
  /** The body is a form with files for arguments: its `Content-Type` (decision 76, files of a call). */
  form: text(LINK_LIMITS.mediaTypeChars).optional(),
  /** The files, or the body, that were approved: the agent accepts no others (decision 83, bodies that wait for approval). */
  files: frameList(approvedFileSchema, LIMITS.filesPerEndpoint).optional(),
});

/** The body is complete: it has this many bytes. */
const inputEnd = z.object({ type: z.literal('input_end'), execution_id: uuid, bytes: offset });

/** The rest of the body will not come, so the command is ended. `code` is the refusal that a caller may see. */
const inputCut = z.object({ type: z.literal('input_cut'), execution_id: uuid, code: text(64), message });

const cancel = z.object({ type: z.literal('cancel'), execution_id: uuid });

/** All output up to `seq` is stored. */
const ack = z.object({ type: z.literal('ack'), execution_id: uuid, seq: sequence });

/** The ending is stored, so the agent may forget the execution. */
const endedAck = z.object({ type: z.literal('ended_ack'), execution_id: uuid });

/** Only to a hosted runner: a pipeline run has ended, so its volume is removed. */
const runEnded = z.object({ type: z.literal('run_ended'), run_id: uuid });

/** This hub is stopping: reconnect at once, to another. */
const move = z.object({ type: z.literal('move') });

/** The reason for the coming close. */
const error = z.object({ type: z.literal('error'), code: text(64), message });

/** The frames of a hub. */
export const hubFrameSchema = z.discriminatedUnion(
  'type',
  [welcome, registered, run, inputEnd, inputCut, cancel, ack, endedAck, runEnded, move, error, ping, pong],
  { error: 'a frame of a hub' },
);
