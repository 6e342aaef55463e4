import type { Transform } from '../execution/transform/transform.ts';
import type { Program } from './program.ts';

/** The methods that an endpoint may be bound to; without one, both call it (decision 11). */
export const METHODS = ['GET', 'POST'] as const;
export type Method = (typeof METHODS)[number];

/** What a value may be (decision 57). */
export const ARGUMENT_TYPES = [
  'word',
  'integer',
  'number',
  'boolean',
  'enum',
  'path',
  'url',
  'ref',
  'text',
  'code',
] as const;
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];

/** One declared argument of an endpoint (reference 2.3, decision 9). */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  readonly default?: string;
  readonly description?: string;
  /** The type that holds, whether the owner wrote it or the compiler chose it. */
  readonly type: ArgumentType;
  /** The owner gave no type: the compiler chose `word` or `text` by where the value goes (decision 57). */
  readonly inferred: boolean;
  /** The accepted values, for `type: enum`. */
  readonly choices?: readonly string[];
  /** A regular expression that the whole value must match. */
  readonly pattern?: string;
  /** For `type: path`: the folder that the path must stay in, absolute or from the folder of the config file. */
  readonly root?: string;
  /** For `type: url`: the schemes that it may have; absent: https and http. */
  readonly schemes?: readonly string[];
  /** For `type: url`: the hosts that it may have, exact or as `*.example.com`; absent: every host. */
  readonly hosts?: readonly string[];
  /** In Unicode code points. */
  readonly maxLength?: number;
  /** Masked in output and reachable through the environment only. */
  readonly secret: boolean;
  /** The value may begin with `-` where an option could stand (decision 8). */
  readonly allowDash: boolean;
}

/** An argument as its definition has it: without a type, the compiler chooses one. */
export type DeclaredArgument = Omit<Argument, 'type' | 'inferred'> & {
  readonly type: ArgumentType | undefined;
};

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
  /** Public keys; each approval has to be signed with one of them, and the agent checks that (decision 60). */
  readonly approverKeys?: readonly string[];
  readonly public: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** The variables that a step of a pipeline may set (decision 60). */
  readonly acceptsEnv: readonly string[];
  readonly cwd?: string;
  readonly transform?: Transform;
  readonly onDisconnect: 'continue' | 'cancel';
  readonly maxConcurrent?: number;
  readonly callbackUrl?: string;
}
