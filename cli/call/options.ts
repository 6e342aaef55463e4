import type { Field } from '../resource/fields.ts';
import type { ServiceOptions } from '../service/options.ts';

/** `--raw`: the terminal gets the unfiltered output, escape sequences included. */
interface OutputOptions extends ServiceOptions {
  readonly raw?: true;
}

export interface CallOptions extends OutputOptions {
  /** Prints the id and does not wait. */
  readonly async?: true;
  /** Prints events as they happen, also with `--json`. */
  readonly follow?: true;
  /** Values that are sent as they are. */
  readonly rawField?: readonly Field[];
  /** The URL that the service posts the end to, or `@file` with one. */
  readonly callback?: string;
  /** Calls nothing. */
  readonly dryRun?: true;
}

export type CancelOptions = ServiceOptions;

export interface LogsOptions extends OutputOptions {
  readonly after?: string;
  /** Lists runs of pipelines. */
  readonly runs?: true;
  readonly status?: string;
  readonly endpoint?: string;
  /** Words of the output. */
  readonly output?: string;
  /** RFC 3339. */
  readonly since?: string;
  readonly limit?: number;
  readonly follow?: true;
}

export interface TailOptions extends OutputOptions {
  readonly endpoint?: string;
  readonly agent?: string;
  readonly stderr?: true;
  readonly text?: string;
}
