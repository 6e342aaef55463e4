import type { Transform } from '../execution/transform/transform.ts';
import type { Program } from './command/program.ts';

/** The methods that an endpoint may be bound to; without one, both call it (decision 11). */
export const METHODS = ['GET', 'POST'] as const;
export type Method = (typeof METHODS)[number];

export const ARGUMENT_TYPES = ['string', 'integer', 'number', 'boolean', 'enum'] as const;
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];

/** One declared argument of an endpoint (reference 2.3, decision 9). */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  readonly default?: string;
  readonly description?: string;
  readonly type: ArgumentType;
  /** The accepted values, for `type: enum`. */
  readonly choices?: readonly string[];
  /** A regular expression that the whole value must match. */
  readonly pattern?: string;
  /** In Unicode code points. */
  readonly maxLength?: number;
  /** Masked in output and reachable through the environment only. */
  readonly secret: boolean;
  /** The value may begin with `-` where an option could stand (decision 8). */
  readonly allowDash: boolean;
}

/** One endpoint as every room of the house knows it: names and units are ours, not the wire's (reference 2.2). */
export interface Endpoint {
  readonly slug: string;
  readonly method?: Method;
  readonly description?: string;
  /** The command line as it was written. */
  readonly command: string;
  /** The same command line, lexed once when it was loaded (decision 6). */
  readonly program: Program;
  readonly args: readonly Argument[];
  readonly timeoutSec: number;
  readonly schedule?: string;
  readonly agentName?: string;
  readonly approvalRequired: boolean;
  readonly approvalTimeoutMins: number;
  /** Who may decide: `owner`, `admin`, `member` or an e-mail address; absent: every member who may execute. */
  readonly approvers?: readonly string[];
  readonly allowSelf: boolean;
  readonly public: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly transform?: Transform;
  readonly onDisconnect: 'continue' | 'cancel';
  readonly maxConcurrent?: number;
  readonly callbackUrl?: string;
}
