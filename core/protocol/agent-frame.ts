import { z } from 'zod';
import { MAX_DECLARED } from '../alert/declared-alert.ts';
import { ARTIFACT_LIMITS } from '../artifact/limits.ts';
import { MAX_LINE_TIME_MS, MAX_LINE_TIMES } from '../execution/line-times.ts';
import { receivedFileSchema } from '../execution/received-file.ts';
import { LIMITS } from '../plan/limits.ts';
import { endingSchema } from './ending.ts';
import {
  agentName,
  definition,
  definitionHash,
  frameFlag,
  frameList,
  frameSlug,
  message,
  offset,
  sequence,
  text,
  uuid,
  wholeNumber,
} from './fields.ts';
import { LINK_LIMITS } from './limits.ts';

const MOST = Number.MAX_SAFE_INTEGER;
const version = wholeNumber(1, 1_000);

const endpoints = frameList(
  z.object({
    name: frameSlug,
    hash: definitionHash,
    definition,
    /** Beside the definition, so that a hub that does not know them ignores them. Absent: none. */
    alerts: frameList(definition, MAX_DECLARED).optional(),
  }),
  LINK_LIMITS.endpoints,
);
/** Without a hash, because no agent runs a pipeline. Absent from agents without pipelines. */
const pipelines = frameList(z.object({ name: frameSlug, definition }), LINK_LIMITS.pipelines).optional();

/** The facts of a hosted runner (decision 49, the hosted runner). */
const runner = z.object({
  /** Its container engine, for people. */
  engine: text(64),
  /** The number of executions at a time. */
  capacity: wholeNumber(1, LINK_LIMITS.runnerCapacity),
  /** The pipeline runs whose volume it keeps. */
  volumes: frameList(uuid, LINK_LIMITS.volumes),
});

/**
 * The last position of the agent's journal, and why it is not that of an earlier instance (decision 61, the journal proves
 * itself).
 */
const journal = z.object({
  /** The number of its last line. */
  seq: wholeNumber(0, MOST),
  renewed: z.object({ replaces: uuid.optional(), at_ms: wholeNumber(0, MOST), reason: message }).optional(),
});

/**
 * The first frame of a connection: the identity of the agent, its definitions, and the executions that it has not finished
 * reporting.
 */
const hello = z.object({
  type: z.literal('hello'),
  protocol: z.object({ min: version, max: version }),
  agent: agentName,
  instance: uuid,
  boot: text(64),
  process: uuid,
  version: text(64),
  host: z.object({ hostname: text(255), os: text(64), arch: text(64) }),
  local_only: frameFlag,
  revision: wholeNumber(0, MOST),
  endpoints,
  pipelines,
  in_flight: frameList(
    z.object({ execution_id: uuid, last_seq: sequence, ended: frameFlag }),
    LINK_LIMITS.inFlight,
  ),
  /** Absent from agents with a journal without numbers. */
  journal: journal.optional(),
  /** Only from connections with a runner token. */
  runner: runner.optional(),
});

/** The file has changed: from now on these are all endpoints and pipelines. */
const config = z.object({ type: z.literal('config'), revision: wholeNumber(0, MOST), endpoints, pipelines });

/** Follows all output up to `last_seq`. Sent again after each reconnect until `ended_ack`. */
const ended = z.object({
  type: z.literal('ended'),
  execution_id: uuid,
  last_seq: sequence,
  ending: endingSchema,
  /** The number of the last line of the journal. */
  journal_seq: wholeNumber(0, MOST).optional(),
  /** The files that the command got (decision 76, files of a call). */
  files: frameList(receivedFileSchema, LIMITS.filesPerEndpoint).optional(),
  /** Why the files that the command left are not at the hub, if not even their list is (decision 72, artifacts). */
  artifacts_unsent: text(ARTIFACT_LIMITS.reasonChars).optional(),
  /** When the output was written: numbers of events, and milliseconds since the start (decision 106, times of lines). */
  line_times: frameList(
    z.tuple([wholeNumber(1, MOST), wholeNumber(0, MAX_LINE_TIME_MS)]),
    MAX_LINE_TIMES,
  ).optional(),
});

/** Send the body of the call from byte `from`, and no byte from `upto` on. The agent has everything before `from`. */
const inputWant = z.object({ type: z.literal('input_want'), execution_id: uuid, from: offset, upto: offset });

/** The agent accepts no new orders, finishes running ones and disconnects (SIGTERM). */
const leaving = z.object({ type: z.literal('leaving') });

/** The number of the ping after `leaving`. Pings of the heartbeat count from 1. */
export const LEAVING_PING = 0;

export const ping = z.object({ type: z.literal('ping'), n: wholeNumber(0, MOST) });
export const pong = z.object({ type: z.literal('pong'), n: wholeNumber(0, MOST) });

/** The text frames of an agent; output is binary. */
export const agentFrameSchema = z.discriminatedUnion(
  'type',
  [hello, config, ended, inputWant, leaving, ping, pong],
  {
    error: 'a frame of an agent',
  },
);
