// Made from the OpenAPI document by `npm run docs`: do not edit.

export type ExecutionStatus =
  | 'pending_approval'
  | 'queued'
  | 'running'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'cancelled'
  | 'lost'
  | 'denied'
  | 'expired'
  | 'missed'
  | 'rejected';

/** An execution that continues without its caller. */
export type AcceptedExecution = {
  readonly execution_id: string;
  readonly status: ExecutionStatus;
  /** The execution as it is now. */
  readonly status_url: string;
  /** The events of the execution from the first on, followed live. */
  readonly stream_url: string;
};

export type PendingStep = {
  readonly status: 'pending_approval';
  readonly execution_id: string;
  readonly approval_id: string;
  /** The page on which a person decides. Anyone with this URL may decide, unless the endpoint says otherwise or an AI agent made the call. */
  readonly approve_url: string;
  readonly message: string;
  /** How long the call waits for a decision. */
  readonly expires_in_mins: number;
  readonly step: string;
};

/** A pipeline run that continues without its caller. */
export type AcceptedRun = {
  readonly run_id: string;
  readonly status: 'queued' | 'running' | 'waiting_approval' | 'succeeded' | 'failed' | 'cancelled';
  /** The run as it is now. */
  readonly status_url: string;
  /** The events of its steps from the first on, followed live. */
  readonly stream_url: string;
  /** The approvals that the run waits for, if nothing else continues. */
  readonly approvals?: readonly PendingStep[];
};

/** The result of a command. */
export type CallResult = {
  /** The output of the command, unchanged. Absent if the endpoint has a transform. */
  readonly output?: string;
  /** `output` is the stdout of an endpoint with `output: raw`, as base64. */
  readonly encoding?: 'base64';
  /** The result of the transform, instead of `output`. */
  readonly data?: unknown;
  /** The exit code of the command. A code other than 0 is a result, not an error. */
  readonly exit_code: number;
  /** The execution of the call. */
  readonly execution_id: string;
  /** Set if the output is longer than 1 MiB. `output_url` has the whole output. */
  readonly truncated?: true;
  readonly output_url?: string;
};

/** An endpoint or pipeline that the caller may call. */
export type Callable = {
  readonly kind: 'endpoint' | 'pipeline';
  /** The last segment of its URL. */
  readonly name: string;
  readonly url: string;
  readonly description: string | null;
  /** The methods that call it. */
  readonly methods: readonly ('GET' | 'POST')[];
  /** Callers need no key. */
  readonly public: boolean;
  /** Each call waits for approval. */
  readonly approval_required: boolean;
  /** The command reads the body of a call, of any type, from stdin; the arguments are in the query. */
  readonly stdin?: 'body';
  /** What the result has: the text of the command, the data of a transform, or the steps of a run. */
  readonly result: 'output' | 'data' | 'steps';
  readonly tags?: readonly string[];
  /** JSON Schema (draft 2020-12) of `data`, where the endpoint promises one. */
  readonly data_schema?: Readonly<Record<string, unknown>>;
  /** The values of a call as an object: JSON Schema (draft 2020-12). Secret values are `writeOnly`. */
  readonly arguments: Readonly<Record<string, unknown>>;
};

export type ErrorEventCode =
  | 'invalid_argument'
  | 'invalid_json'
  | 'unsupported_media_type'
  | 'payload_too_large'
  | 'unauthorized'
  | 'forbidden'
  | 'second_factor_required'
  | 'not_found'
  | 'execution_not_open'
  | 'method_not_allowed'
  | 'slug_taken'
  | 'managed_by_config'
  | 'version_conflict'
  | 'precondition_failed'
  | 'key_revoked'
  | 'username_taken'
  | 'username_chosen'
  | 'username_gone'
  | 'idempotency_in_progress'
  | 'idempotency_mismatch'
  | 'link_used'
  | 'link_expired'
  | 'link_withdrawn'
  | 'stale'
  | 'approval_closed'
  | 'approval_denied'
  | 'approval_expired'
  | 'already_member'
  | 'already_invited'
  | 'seat_limit_reached'
  | 'secret_not_set'
  | 'secret_not_allowed'
  | 'limit_reached'
  | 'plan_limit'
  | 'quota_exceeded'
  | 'concurrency_limited'
  | 'rate_limited'
  | 'not_supported'
  | 'agent_offline'
  | 'agent_refused'
  | 'spawn_failed'
  | 'timeout'
  | 'lost'
  | 'cancelled'
  | 'transform_failed'
  | 'step_failed'
  | 'unavailable'
  | 'internal_error'
  | 'still_running';

/** One event of an execution. */
export type ExecutionEvent =
  | {
      readonly type: 'output';
      /** The step of a pipeline run that the event belongs to. */
      readonly step?: string;
      /** The line is from stderr, of an endpoint that separates the two streams. */
      readonly stream?: 'stderr';
      /** `data` is a piece of raw stdout. */
      readonly encoding?: 'base64';
      /** One line of output, without its line end. */
      readonly data: string;
    }
  | {
      readonly type: 'transformed_output';
      /** The step of a pipeline run that the event belongs to. */
      readonly step?: string;
      /** The result of the transform. */
      readonly data: unknown;
    }
  | {
      readonly type: 'done';
      /** The step of a pipeline run that the event belongs to. */
      readonly step?: string;
      readonly exit_code: number;
      readonly duration_ms: number;
    }
  | {
      readonly type: 'error';
      /** The step of a pipeline run that the event belongs to. */
      readonly step?: string;
      /** Why there is no result, for people. */
      readonly error: string;
      /** The same, for programs. `still_running`: only the response ended; the execution continues. */
      readonly code?: ErrorEventCode;
      /** The execution that the error concerns. */
      readonly execution_id?: string;
      /** The pipeline run that the error concerns. */
      readonly run_id?: string;
    };

/** An execution, with its result once it has ended. */
export type ExecutionWithResult = {
  readonly execution_id: string;
  /** The slug of the endpoint. */
  readonly endpoint: string;
  readonly status: ExecutionStatus;
  /** Why it was rejected or missed. */
  readonly reason?: 'agent_offline' | 'quota' | 'stale' | 'refused' | 'hub_restart' | 'hub_down' | 'overlap';
  /** The fire time of the schedule. */
  readonly scheduled_for?: string;
  /** Set if the record stands for several missed fires: how many, from `scheduled_for` on. */
  readonly missed_fires?: number;
  /** The execution was lost before its agent reconnected with the result. */
  readonly late?: true;
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline' | 'mcp' | 'choices';
  /** The pipeline run, if the execution is a step. */
  readonly run_id?: string;
  /** The id of that step. */
  readonly step?: string;
  readonly exit_code?: number;
  readonly duration_ms?: number;
  /** Why there is no result, for people. */
  readonly error?: string;
  /** Why there is no result, for programs: the code of an error. */
  readonly code?: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** The agent that ran it. */
  readonly agent_name: string | null;
  /** The version of the endpoint that was called. `/executions/{id}/definition` shows it. */
  readonly endpoint_version: number | null;
  readonly status_url: string;
  readonly stream_url: string;
  /** The caller, in words for people. */
  readonly requested_by: string;
  /** The values of the call; null: the value is secret and not stored. */
  readonly args: Readonly<Record<string, string | null>>;
  /** The files that the command got, once it has ended; for a call with approval those that were approved. `stdin` is a body. The files themselves are not kept. */
  readonly files?: readonly {
    readonly argument: string;
    /** The name that the client gave, as text for people; never a path. */
    readonly name?: string;
    readonly bytes: number;
    /** The media type by its content. */
    readonly type: string;
    /** In hexadecimal digits. */
    readonly sha256: string;
  }[];
  /** The output of the command, up to 1 MiB. */
  readonly output?: string;
  /** `output` is raw stdout, as base64. */
  readonly encoding?: 'base64';
  /** The result of the transform, instead of `output`. */
  readonly data?: unknown;
  /** When the output was written, with `with=line_times` after the execution has ended. Each pair is the number of an `output` event, from 1, and milliseconds after `started_at`. An event between two pairs has the time of the pair before it. Pairs are at least 100 ms apart, and further apart when there would be more than 1,000. Absent when there is no output, when the output is the result of a transform, when the agent lost the execution, and when the agent is of an earlier version. */
  readonly line_times?: readonly (readonly unknown[])[];
  /** Set if the output is longer. `/executions/{id}/output` has the whole output. */
  readonly truncated?: true;
};

/** A call that waits for approval. Nothing runs yet. */
export type PendingCall = {
  readonly status: 'pending_approval';
  readonly execution_id: string;
  readonly approval_id: string;
  /** The page on which a person decides. Anyone with this URL may decide, unless the endpoint says otherwise or an AI agent made the call. */
  readonly approve_url: string;
  readonly message: string;
  /** How long the call waits for a decision. */
  readonly expires_in_mins: number;
};

export type ListedExecution = {
  readonly execution_id: string;
  /** The slug of the endpoint. */
  readonly endpoint: string;
  readonly status: ExecutionStatus;
  /** Why it was rejected or missed. */
  readonly reason?: 'agent_offline' | 'quota' | 'stale' | 'refused' | 'hub_restart' | 'hub_down' | 'overlap';
  /** The fire time of the schedule. */
  readonly scheduled_for?: string;
  /** Set if the record stands for several missed fires: how many, from `scheduled_for` on. */
  readonly missed_fires?: number;
  /** The execution was lost before its agent reconnected with the result. */
  readonly late?: true;
  readonly trigger: 'call' | 'dashboard' | 'schedule' | 'pipeline' | 'mcp' | 'choices';
  /** The pipeline run, if the execution is a step. */
  readonly run_id?: string;
  /** The id of that step. */
  readonly step?: string;
  readonly exit_code?: number;
  readonly duration_ms?: number;
  /** Why there is no result, for people. */
  readonly error?: string;
  /** Why there is no result, for programs: the code of an error. */
  readonly code?: string;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** The agent that ran it. */
  readonly agent_name: string | null;
  /** The version of the endpoint that was called. `/executions/{id}/definition` shows it. */
  readonly endpoint_version: number | null;
  readonly status_url: string;
  readonly stream_url: string;
  /** The caller, in words for people. */
  readonly requested_by: string;
  /** The member or API key that started it. Absent: neither did. */
  readonly caller_id?: string;
  /** With `with=args` in the query: the values of the call, each of at most 201 characters; null: the value is secret and not stored. */
  readonly args?: Readonly<Record<string, string | null>>;
  /** With `output` in the query: a line of the output with the words, as text of at most 202 characters. */
  readonly output_line?: string;
};

/** The result of a pipeline run, step by step. */
export type RunResult = {
  readonly run_id: string;
  readonly status: 'queued' | 'running' | 'waiting_approval' | 'succeeded' | 'failed' | 'cancelled';
  /** 0, or the exit code of the step whose failure ended the run. */
  readonly exit_code: number;
  readonly duration_ms: number;
  readonly steps: readonly {
    readonly step: string;
    readonly status:
      | 'queued'
      | 'running'
      | 'waiting_approval'
      | 'succeeded'
      | 'failed'
      | 'cancelled'
      | 'skipped';
    /** The number of the attempt, from 1; 0: the step did not run. */
    readonly attempt: number;
    /** The execution of the last attempt. */
    readonly execution_id?: string;
    readonly exit_code?: number;
    /** Why there is no exit code, for people. */
    readonly error?: string;
    /** The output of its command. Absent if the endpoint has a transform. */
    readonly output?: string;
    /** The result of the transform, instead of `output`. */
    readonly data?: unknown;
    /** Set if the output of all steps together is longer than 1 MiB. `output_url` has the whole output of this step. */
    readonly truncated?: true;
    readonly output_url?: string;
  }[];
};
