// Who may have a managed secret (decision 58, "Agent tokens and secret grants").

/**
 * What a question about a secret is about: the token of an agent, another process that uses the token, or an endpoint of a
 * file that would open the secret to the public or to the clock.
 */
export const GRANT_KINDS = ['agent', 'process', 'public', 'schedule'] as const;
export type GrantKind = (typeof GRANT_KINDS)[number];

export const DECISION_STATES = ['allowed', 'refused'] as const;
export type DecisionState = (typeof DECISION_STATES)[number];

/** What an admin has decided about one secret; it holds until the secret is deleted. */
export interface SecretDecision {
  readonly secret: string;
  readonly kind: GrantKind;
  /** The id of a token, a process or an endpoint. */
  readonly subjectId: string;
  readonly state: DecisionState;
}

/** The part of a secret that says who may have it. */
export interface SecretTerms {
  readonly name: string;
  /** The only agents whose commands may have it; undefined: all of the workspace. */
  readonly agents: readonly string[] | undefined;
  /** Tokens and endpoints that existed by then need no grant. */
  readonly grantedAtMs: number;
  readonly decisions: readonly SecretDecision[];
}

/** An agent process, and the token that it has connected with. */
export interface SecretHolder {
  readonly agentName: string;
  readonly instance: string;
  readonly token: {
    readonly id: string;
    readonly madeAtMs: number;
    /** A member chose its agent names when it was made. */
    readonly isNamed: boolean;
  };
  /** It is the first process of its token, or the token was made for many. */
  readonly isKnown: boolean;
}

/** `foreign`: the owner of the secret named other agents. */
export type GrantVerdict =
  | { readonly kind: 'granted' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'waiting' | 'refused'; readonly about: GrantKind };

const GRANTED: GrantVerdict = { kind: 'granted' };

/**
 * Whether commands of this agent process may have the secret.
 *
 * @param runsOn the agent that executes the command: its own name, or `hosted` for an endpoint of its file that runs there
 */
export function holderDecision(
  secret: SecretTerms,
  holder: SecretHolder,
  runsOn: string = holder.agentName,
): GrantVerdict {
  const { agents, grantedAtMs } = secret;
  if (agents !== undefined && !agents.includes(runsOn)) return { kind: 'foreign' };
  const { id, madeAtMs, isNamed } = holder.token;
  // The owner named the agent, and a member made this token for it.
  const isChosen = isNamed && agents?.includes(holder.agentName) === true;
  const ofToken = decided(secret, 'agent', id, isChosen || madeAtMs <= grantedAtMs);
  if (ofToken.kind !== 'granted') return ofToken;
  return decided(secret, 'process', holder.instance, holder.isKnown);
}

/** Since when the file of an agent has opened which secret, by the way in which it is opened. */
export type SecretExposure = Readonly<Partial<Record<string, Exposed>>>;
type Exposed = { readonly [Kind in ExposureKind]?: number };

export const EXPOSURE_KINDS = ['public', 'schedule'] as const;
type ExposureKind = (typeof EXPOSURE_KINDS)[number];

/** Stands for every secret that a command gets without naming it, as hosted commands do. */
export const UNNAMED_SECRETS = '*';

/** What a definition says: which secrets its command gets, and to whom the file opens it. */
export interface Exposing {
  /** Their names, or `UNNAMED_SECRETS`. */
  readonly secrets: readonly string[];
  readonly isPublic: boolean;
  readonly isScheduled: boolean;
}

/** What was opened before stays what it was; everything else is new now. Undefined: the file opens nothing. */
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

/** Whether an endpoint of a file may use the secret, as far as the file opens it to the public or to the clock. */
export function exposureDecision(
  secret: SecretTerms,
  endpointId: string,
  exposure: SecretExposure | undefined,
): GrantVerdict {
  const exposed = exposure?.[secret.name] ?? exposure?.[UNNAMED_SECRETS];
  for (const kind of EXPOSURE_KINDS) {
    const sinceMs = exposed?.[kind];
    if (sinceMs === undefined) continue;
    const verdict = decided(secret, kind, endpointId, sinceMs <= secret.grantedAtMs);
    if (verdict.kind !== 'granted') return verdict;
  }
  return GRANTED;
}

/** A decision counts before everything else. */
function decided(
  { decisions }: SecretTerms,
  kind: GrantKind,
  subjectId: string,
  isGranted: boolean,
): GrantVerdict {
  const decision = decisions.find((one) => one.kind === kind && one.subjectId === subjectId);
  if (decision === undefined) return isGranted ? GRANTED : { kind: 'waiting', about: kind };
  return decision.state === 'allowed' ? GRANTED : { kind: 'refused', about: kind };
}

/** The question that an admin answers, in one sentence; `who` is the name of an agent or of an endpoint. */
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

/** The same as a reason why something does not run now, or will not. */
export function grantReason(
  { kind, about }: { readonly kind: 'waiting' | 'refused'; readonly about: GrantKind },
  secret: string,
  who: string,
): string {
  const question = grantQuestion(about, secret, who);
  return kind === 'waiting' ? `waits for an admin: ${question}` : `an admin refused: ${question}`;
}
