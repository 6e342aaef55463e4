import { secretInTarget } from '@svc/core/alert/declared-alert';
import { HOSTED_AGENT } from '@svc/core/protocol/agent-name';
import {
  EXPOSURE_KINDS,
  exposureDecision,
  type GrantDecision,
  type GrantKind,
  grantQuestion,
  grantReason,
  holderDecision,
  type SecretHolder,
  type SecretTerms,
  UNNAMED_SECRETS,
} from '@svc/core/secret/grant';
import { mayUseSecret } from '@svc/core/secret/secret';
import type { AgentToken } from '../accounts/account-ports.ts';
import type { Credentials } from '../accounts/store/credentials.ts';
import type { OwnedInstance } from '../agents/agent-ports.ts';
import { agentNameOf } from '../agents/candidates.ts';
import { isHosted } from '../agents/host-address.ts';
import type { KnownAgents } from '../agents/store/agent-store.ts';
import type { AlertRule } from '../alerts/alert-ports.ts';
import type { AlertRules } from '../alerts/store/alert-rules.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Endpoints } from '../endpoints/store/endpoint-store.ts';
import type { StoredDecision } from '../secrets/secret-ports.ts';
import type { Secrets } from '../secrets/store/secret-store.ts';
import { openExposure, storedHolder, termsOf } from './secret-terms.ts';

export type GrantDeps = {
  readonly secrets: Secrets;
  readonly credentials: Credentials;
  readonly knownAgents: KnownAgents;
  readonly endpoints: Endpoints;
  readonly alertRules: Pick<AlertRules, 'of'>;
};

/** Everything in a workspace that determines access to secrets. */
export interface GrantFacts {
  readonly secrets: readonly SecretTerms[];
  readonly decisions: readonly StoredDecision[];
  /** The valid tokens that are bound to agent names. */
  readonly tokens: readonly AgentToken[];
  readonly owned: readonly OwnedInstance[];
  readonly endpoints: readonly RegisteredEndpoint[];
  readonly alertRules: readonly AlertRule[];
}

/** `granted`: access needs no decision. */
export type GrantState = 'waiting' | 'allowed' | 'refused' | 'granted';

/** Whether a token, a process or an endpoint may use a secret, with the question that an admin answers. */
export interface SecretGrant {
  readonly secret: string;
  readonly kind: GrantKind;
  readonly subjectId: string;
  /** The name of the agent, or of the endpoint. */
  readonly who: string;
  /** A description of the subject for people: the name of the token, or the machine of the process. */
  readonly about: string | undefined;
  readonly state: GrantState;
  readonly question: string;
  readonly decision: StoredDecision | undefined;
}

/** A grant that an endpoint waits for, or that was refused. */
export interface EndpointWait {
  readonly secret: string;
  readonly kind: GrantKind;
  readonly state: 'waiting' | 'refused';
  readonly reason: string;
}

export async function grantFacts(deps: GrantDeps, workspaceId: string): Promise<GrantFacts> {
  const [secrets, decisions, tokens, owned, endpoints, alertRules] = await Promise.all([
    deps.secrets.list(workspaceId),
    deps.secrets.decisions(workspaceId),
    deps.credentials.agentTokensOf(workspaceId),
    deps.knownAgents.owned(workspaceId),
    deps.endpoints.list(workspaceId),
    deps.alertRules.of(workspaceId),
  ]);
  return {
    secrets: secrets.map((secret) => termsOf(secret, decisions)),
    decisions,
    tokens: tokens.filter(
      ({ revokedAtMs, agentNames }) => revokedAtMs === undefined && agentNames.length > 0,
    ),
    owned,
    endpoints,
    alertRules,
  };
}

/** Every token, process and endpoint that uses or would use a secret, with the decision, in a fixed order. */
export function grantsOf(facts: GrantFacts): SecretGrant[] {
  const found = facts.secrets.flatMap((secret) => [
    ...facts.endpoints.flatMap((target) => [
      ...holdersOf(facts, target, secret).flatMap((holder) =>
        ofHolder(facts, secret, holder, decisionOn(secret, target, holder)),
      ),
      ...ofExposure(facts, secret, target),
    ]),
    ...declarersOf(facts, secret).flatMap((holder) =>
      ofHolder(facts, secret, holder, holderDecision(secret, holder)),
    ),
  ]);
  const unique = new Map(found.map((grant) => [keyOf(grant), grant]));
  return [...unique.values()].toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)));
}

export function keyOf({
  secret,
  kind,
  subjectId,
}: Pick<SecretGrant, 'secret' | 'kind' | 'subjectId'>): string {
  return `${secret} ${kind} ${subjectId}`;
}

/** The grants that block calls of an endpoint. None block when at least one agent may use all its secrets. */
export function waitsOf(facts: GrantFacts, target: RegisteredEndpoint): EndpointWait[] {
  return facts.secrets.flatMap((secret) => {
    if (!target.endpoint.program.secrets.includes(secret.name)) return [];
    const { slug } = target.endpoint;
    const exposed = exposureDecision(secret, target.id, openExposure(target));
    const holders = holdersOf(facts, target, secret);
    const decisions = holders.map((holder) => ({ holder, decision: decisionOn(secret, target, holder) }));
    const isServed = decisions.some(({ decision }) => decision.kind === 'granted');
    const [worst] = isServed ? [] : decisions.filter(({ decision }) => decision.kind !== 'foreign');
    return [
      ...waitOf(secret.name, exposed, slug),
      ...(worst === undefined ? [] : waitOf(secret.name, worst.decision, worst.holder.agentName)),
    ];
  });
}

/** The blocking grants of several endpoints. It reads nothing when no endpoint names a secret. */
export async function waitsOfAll(
  deps: GrantDeps,
  workspaceId: string,
  targets: readonly RegisteredEndpoint[],
): Promise<EndpointWait[][]> {
  if (targets.every(({ endpoint }) => endpoint.program.secrets.length === 0)) return targets.map(() => []);
  const facts = await grantFacts(deps, workspaceId);
  return targets.map((target) => waitsOf(facts, target));
}

function waitOf(secret: string, decision: GrantDecision, who: string): EndpointWait[] {
  if (decision.kind === 'granted' || decision.kind === 'foreign') return [];
  const { kind: state, about: kind } = decision;
  return [{ secret, kind, state, reason: grantReason(decision, secret, who) }];
}

/** The processes that would receive the secret with the endpoint's command; for the hosted runner, the process of its file. */
function holdersOf(facts: GrantFacts, target: RegisteredEndpoint, secret: SecretTerms): SecretHolder[] {
  const { tokens, owned } = facts;
  if (isHosted(target)) {
    if (target.registrant === undefined || !mayUseSecret(secret.agents, HOSTED_AGENT)) return [];
    const holder = storedHolder(target.registrant, tokens, owned);
    return holder === undefined ? [] : [holder];
  }
  if (!target.endpoint.program.secrets.includes(secret.name)) return [];
  const name = agentNameOf(target);
  const named = tokens.filter(({ agentNames }) => agentNames.includes(name));
  // An endpoint for the agent "default" runs on the only agent, whatever its name is (decision 31, which agent runs an endpoint).
  const those = named.length === 0 && name === 'default' ? tokens : named;
  return those.flatMap((token) => {
    const processes = owned.filter(({ tokenId }) => tokenId === token.id);
    const agentName = named.includes(token) ? name : (token.agentNames[0] ?? name);
    // A token that is bound to the name needs a decision even before its first use.
    const instances = processes.length === 0 ? [''] : processes.map(({ instance }) => instance);
    return instances.flatMap((instance) => {
      const holder = storedHolder({ tokenId: token.id, instance }, tokens, owned);
      return holder === undefined ? [] : { ...holder, agentName };
    });
  });
}

/** The processes whose files name the secret as the target of an alert (decision 70, alert rules in a file). */
function declarersOf({ alertRules, tokens, owned }: GrantFacts, { name }: SecretTerms): SecretHolder[] {
  return alertRules.flatMap(({ declared, shownTarget }) => {
    const isNamed = declared !== undefined && secretInTarget(shownTarget) === name;
    return (isNamed && storedHolder(declared, tokens, owned)) || [];
  });
}

function decisionOn(secret: SecretTerms, target: RegisteredEndpoint, holder: SecretHolder): GrantDecision {
  return holderDecision(secret, holder, isHosted(target) ? HOSTED_AGENT : holder.agentName);
}

/** The token is decided first: a process waits for a decision only when its token may use the secret. */
function ofHolder(
  facts: GrantFacts,
  secret: SecretTerms,
  holder: SecretHolder,
  decision: GrantDecision,
): SecretGrant[] {
  if (decision.kind === 'foreign') return [];
  const { agentName: who, token, instance, isKnown } = holder;
  const tokenName = facts.tokens.find(({ id }) => id === token.id)?.name;
  const isOfToken = decision.kind !== 'granted' && decision.about === 'agent';
  const ofToken = grantOf(
    secret,
    { kind: 'agent', subjectId: token.id, who, about: tokenName },
    facts,
    isOfToken,
  );
  if (isOfToken || isKnown || instance === '') return [ofToken];
  const hostname = facts.owned.find((one) => one.instance === instance)?.hostname;
  const process = { kind: 'process', subjectId: instance, who, about: hostname } as const;
  return [ofToken, grantOf(secret, process, facts, decision.kind !== 'granted')];
}

function ofExposure(facts: GrantFacts, secret: SecretTerms, target: RegisteredEndpoint): SecretGrant[] {
  const { slug: who, program } = target.endpoint;
  const isUsed =
    program.secrets.includes(secret.name) || (isHosted(target) && mayUseSecret(secret.agents, HOSTED_AGENT));
  if (!isUsed) return [];
  const exposure = openExposure(target);
  return EXPOSURE_KINDS.flatMap((kind) => {
    const only = exposureOfOne(exposure, secret.name, kind);
    if (only === undefined) return [];
    const isOpen = exposureDecision(secret, target.id, only).kind === 'granted';
    return grantOf(secret, { kind, subjectId: target.id, who, about: undefined }, facts, !isOpen);
  });
}

function exposureOfOne(
  exposure: ReturnType<typeof openExposure>,
  name: string,
  kind: (typeof EXPOSURE_KINDS)[number],
) {
  const sinceMs = (exposure?.[name] ?? exposure?.[UNNAMED_SECRETS])?.[kind];
  return sinceMs === undefined ? undefined : { [name]: { [kind]: sinceMs } };
}

function grantOf(
  { name: secret }: SecretTerms,
  subject: Pick<SecretGrant, 'kind' | 'subjectId' | 'who' | 'about'>,
  { decisions }: GrantFacts,
  isClosed: boolean,
): SecretGrant {
  const decision = decisions.find((one) => keyOf(one) === keyOf({ secret, ...subject }));
  const state = decision?.state ?? (isClosed ? 'waiting' : 'granted');
  return { secret, ...subject, state, question: grantQuestion(subject.kind, secret, subject.who), decision };
}
