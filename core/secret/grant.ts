// The rules about who may have a managed secret (decision 58, agent tokens and secret grants).

/**
 * The kinds of questions about a secret: may the token of an agent have it, may another process with the same token, may an
 * endpoint of a file open it to the public or to a schedule.
 */
export const GRANT_KINDS = ['agent', 'process', 'public', 'schedule'] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

export const DECISION_STATES = ['allowed', 'refused'] as const;
export type DecisionState = (typeof DECISION_STATES)[number];

/** An admin's decision about one secret. It is valid until the secret is deleted. */
export interface SecretDecision {
  readonly secret: string;
  readonly kind: GrantKind;
  /** The id of a token, a process or an endpoint. */
  readonly subjectId: string;
  readonly state: DecisionState;
}

/** The access rules of a secret. */
export interface SecretTerms {
  readonly name: string;
  /** The only agents whose commands may have the secret; undefined: all agents of the workspace. */
  readonly agents: readonly string[] | undefined;
  /** Tokens and endpoints that existed before this time need no grant. */
  readonly grantedAtMs: number;
  readonly decisions: readonly SecretDecision[];
}

/** An agent process and the token with which it connected. */
export interface SecretHolder {
  readonly agentName: string;
  readonly instance: string;
  readonly token: {
    readonly id: string;
    readonly madeAtMs: number;
    /** The member who made the token chose its agent names. */
    readonly isNamed: boolean;
  };
  /** The process is the first one with its token, or the token was made for several. */
  readonly isKnown: boolean;
}

/** `foreign`: the owner of the secret named other agents. */
export type GrantDecision =
  | { readonly kind: 'granted' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'waiting' | 'refused'; readonly about: GrantKind };

const GRANTED: GrantDecision = { kind: 'granted' };

/**
 * Whether commands of this agent process may have the secret.
 *
 * @param runsOn the agent that executes the command: the process itself, or `hosted` for a hosted endpoint of its file
 */
export function holderDecision(
  secret: SecretTerms,
  holder: SecretHolder,
  runsOn: string = holder.agentName,
): GrantDecision {
  const { agents, grantedAtMs } = secret;
  if (agents !== undefined && !agents.includes(runsOn)) return { kind: 'foreign' };
  const { id, madeAtMs, isNamed } = holder.token;
  // The owner named the agent, and a member made this token for that agent.
  const isChosen = isNamed && agents?.includes(holder.agentName) === true;
  const ofToken = decided(secret, 'agent', id, isChosen || madeAtMs <= grantedAtMs);
  if (ofToken.kind !== 'granted') return ofToken;
  return decided(secret, 'process', holder.instance, holder.isKnown);
}

/** The times since when an agent's file exposes each secret, by kind of exposure. */
export type SecretExposure = Readonly<Partial<Record<string, Exposed>>>;
type Exposed = { readonly [Kind in ExposureKind]?: number };

export const EXPOSURE_KINDS = ['public', 'schedule'] as const;
type ExposureKind = (typeof EXPOSURE_KINDS)[number];

/** Stands for all secrets that a command gets without naming them, as hosted commands do. */
export const UNNAMED_SECRETS = '*';

/** The secrets that the command of a definition gets, and to whom the file exposes them. */
export interface Exposing {
  /** The names of the secrets, or `UNNAMED_SECRETS`. */
  readonly secrets: readonly string[];
  readonly isPublic: boolean;
  readonly isScheduled: boolean;
}

/** Existing exposures keep their time; new ones get the current time. Undefined: the file exposes nothing. */
export function nextExposure(
  before: SecretExposure | undefined,
  { secrets, isPublic, isScheduled }: Exposing,
  nowMs: number,
): SecretExposure | undefined {
  if (secrets.length === 0 || !(isPublic || isScheduled)) return undefined;
  const since = (name: string, kind: ExposureKind) => before?.[name]?.[kind] ?? nowMs;
  return Object.fromEntries(
    secrets.map((name) => [
      name,
      {
        ...(isPublic ? { public: since(name, 'public') } : {}),
        ...(isScheduled ? { schedule: since(name, 'schedule') } : {}),
      },
    ]),
  );
}

/** Whether an endpoint of a file may use the secret: this depends on the exposure to the public or to a schedule. */
export function exposureDecision(
  secret: SecretTerms,
  endpointId: string,
  exposure: SecretExposure | undefined,
): GrantDecision {
  const exposed = exposure?.[secret.name] ?? exposure?.[UNNAMED_SECRETS];
  for (const kind of EXPOSURE_KINDS) {
    const sinceMs = exposed?.[kind];
    if (sinceMs === undefined) continue;
    const decision = decided(secret, kind, endpointId, sinceMs <= secret.grantedAtMs);
    if (decision.kind !== 'granted') return decision;
  }
  return GRANTED;
}

/** An admin's decision takes precedence over the other rules. */
function decided(
  { decisions }: SecretTerms,
  kind: GrantKind,
  subjectId: string,
  isGranted: boolean,
): GrantDecision {
  const decision = decisions.find((one) => one.kind === kind && one.subjectId === subjectId);
  if (decision === undefined) return isGranted ? GRANTED : { kind: 'waiting', about: kind };
  return decision.state === 'allowed' ? GRANTED : { kind: 'refused', about: kind };
}

/** The question for an admin, in one sentence; `who` is the name of an agent or an endpoint. */
export function grantQuestion(kind: GrantKind, secret: string, who: string): string {
  switch (kind) {
    case 'agent':
      return `may \`${who}\` have \`${secret}\`?`;
    case 'process':
      return `may another process of \`${who}\` have \`${secret}\`?`;
    case 'public':
      return `may the public endpoint \`${who}\` use \`${secret}\`?`;
    case 'schedule':
      return `may the schedule of \`${who}\` use \`${secret}\`?`;
  }
}

/** The same question as a reason why a call waits or is refused. */
export function grantReason(
  { kind, about }: { readonly kind: 'waiting' | 'refused'; readonly about: GrantKind },
  secret: string,
  who: string,
): string {
  const question = grantQuestion(about, secret, who);
  return kind === 'waiting' ? `waits for an admin: ${question}` : `an admin refused: ${question}`;
}
