import type { DeclaredAlert } from '../alert/declared-alert.ts';
import type { Transform } from '../execution/transform/transform.ts';
import type { Program } from './program.ts';

/** The methods that an endpoint may be bound to. Without one, both call it (decision 11, methods). */
export const METHODS = ['GET', 'POST'] as const;
export type Method = (typeof METHODS)[number];

/** The types of one word, which the items of a list may have (decision 57, values by type). */
export const ITEM_TYPES = [
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
export type ItemType = (typeof ITEM_TYPES)[number];

/** The types of arguments: decision 57, values by type; decision 67, lists and JSON values; decision 76, files of a call. */
export const ARGUMENT_TYPES = [...ITEM_TYPES, 'list', 'json', 'file'] as const;
export type ArgumentType = (typeof ARGUMENT_TYPES)[number];

/** One declared argument of an endpoint (reference 2.3, decision 9, values of a call). */
export interface Argument {
  readonly name: string;
  readonly required: boolean;
  readonly default?: string;
  readonly description?: string;
  /** The effective type, written by the owner or chosen by the compiler. */
  readonly type: ArgumentType;
  /**
   * The owner gave no type, so the compiler chose `word` or `text` by the place of the value (decision 57, values by type).
   */
  readonly inferred: boolean;
  /** The accepted values, for `type: enum` and for a list of such items. */
  readonly choices?: readonly string[];
  /** For `type: list`, and always there: the type of each item. `choices`, `pattern` and the other rules hold for each item. */
  readonly items?: ItemType;
  /** For `type: list`: the word before the placeholder is repeated before each item. */
  readonly each?: boolean;
  /** For `type: list`: the most items; absent: `LIMITS.defaultListItems`. */
  readonly maxItems?: number;
  /** The endpoint whose output lists the accepted values (decision 69, choices from an endpoint). */
  readonly choicesFrom?: string;
  /** The values with which that endpoint is called: fixed texts, or `{{other}}` for another argument of this endpoint. */
  readonly choicesArgs?: Readonly<Record<string, string>>;
  /** How long a hub keeps the list; absent: `LIMITS.defaultChoicesTtlSec`. */
  readonly choicesTtlSec?: number;
  /** False: the agent does not read the list again before a call runs. */
  readonly choicesCheck?: boolean;
  /** For `type: json`: the JSON Schema that a value must match (`schemaProblem`). */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** A regular expression that the whole value must match. */
  readonly pattern?: string;
  /** For `type: path`: the folder that the path must stay in, absolute or relative to the folder of the config file. */
  readonly root?: string;
  /** For `type: url`: the accepted schemes; absent: https and http. */
  readonly schemes?: readonly string[];
  /** For `type: url`: the accepted hosts, exact or as `*.example.com`; absent: every host. */
  readonly hosts?: readonly string[];
  /** For `type: file`: the longest file; absent: `LIMITS.defaultFileBytes`. */
  readonly maxBytes?: number;
  /** For `type: file`: the accepted media types, as `image/png` or `image/*`; absent: every file. */
  readonly accept?: readonly string[];
  /** In Unicode code points. */
  readonly maxLength?: number;
  /** Masked in output, and passed to the command only in its environment. */
  readonly secret: boolean;
  /** The value may begin with `-` where an option could stand (decision 8, leading dash and sizes of values). */
  readonly allowDash: boolean;
}

/** An argument as its definition declares it. Without a type, the compiler chooses one. */
export type DeclaredArgument = Omit<Argument, 'type' | 'inferred'> & {
  readonly type: ArgumentType | undefined;
};

/**
 * What a command does to the world: nothing; something that can be changed back; something that may not (decision 66, tools
 * for AI agents).
 */
export const EFFECTS = ['read', 'write', 'destroy'] as const;
export type Effects = (typeof EFFECTS)[number];

/** One endpoint. Names and units are those of the code, not of the wire (reference 2.2). */
export interface Endpoint {
  readonly slug: string;
  readonly method?: Method;
  readonly description?: string;
  /** Words by which people find it. */
  readonly tags?: readonly string[];
  /** The command line as the author wrote it. */
  readonly command: string;
  /** The same command line, compiled once when the endpoint is loaded (decision 6, two modes of a command). */
  readonly program: Program;
  readonly args: readonly Argument[];
  readonly timeoutSec: number;
  readonly schedule?: string;
  readonly agentName?: string;
  readonly approvalRequired: boolean;
  /** `passkey`: an approver confirms with a passkey (decision 89, approval with a passkey). */
  readonly approval?: 'passkey';
  readonly approvalTimeoutMins: number;
  /** The approvers: `owner`, `admin`, `member` or e-mail addresses; absent: every member who may execute. */
  readonly approvers?: readonly string[];
  readonly allowSelf: boolean;
  /**
   * Public keys. The agent runs a call only if its approval is signed with one of them (decision 60, the file is a floor).
   */
  readonly approverKeys?: readonly string[];
  readonly public: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** The variables that a step of a pipeline may set (decision 60, the file is a floor). */
  readonly acceptsEnv: readonly string[];
  readonly cwd?: string;
  readonly transform?: Transform;
  /** `raw`: a call is answered with the bytes of stdout (decision 68, raw output). */
  readonly output?: 'text' | 'raw';
  /** The media type of raw output; absent: `application/octet-stream`. */
  readonly contentType?: string;
  /** False: stderr is a stream of its own. Absent: one stream with both, in the order written. */
  readonly merge?: boolean;
  /** Patterns of the files below `SVC_OUTPUT_DIR` that are kept (decision 72, artifacts). */
  readonly artifacts?: readonly string[];
  /** `body`: the body of the request is the command's stdin (decision 73, the body as standard input). */
  readonly stdin?: 'body';
  /** The longest body of `stdin`; absent: `LIMITS.defaultStdinBytes`. */
  readonly maxStdinBytes?: number;
  readonly onDisconnect: 'continue' | 'cancel';
  /** What the owner says that the command does; absent: unknown. */
  readonly effects?: Effects;
  /** A second call with the same values changes nothing more; absent: unknown. */
  readonly idempotent?: boolean;
  /** False: it is no tool for AI agents. */
  readonly mcp?: boolean;
  readonly maxConcurrent?: number;
  readonly callbackUrl?: string;
  /** Alert rules. They are in no hash: the agent announces them beside the definition. */
  readonly alerts?: readonly DeclaredAlert[];
}
