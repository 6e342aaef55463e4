import { hash } from 'node:crypto';
import {
  type DeclaredAlert,
  MAX_DECLARED_IN_WORKSPACE,
  secretInTarget,
} from '@svc/core/alert/declared-alert';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditEntry } from '@svc/core/audit/entry';
import { oncePerKey } from '@svc/core/once-per-key';
import type { AgentProcess } from '../agents/directory-ports.ts';
import type { AlertRule, DeclaredBy } from '../alerts/alert-ports.ts';
import { detailsOf, newSecret, restartsWatch } from '../alerts/manage-alerts.ts';
import type { AlertRules } from '../alerts/store/alert-rules.ts';
import type { RegisteredEndpoint } from '../endpoints/endpoint-ports.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import { type AlertSecretDeps, alertSecret } from '../secret-grants/alert-secrets.ts';

export type DeclaredAlertsDeps = AlertSecretDeps & {
  readonly alertRules: Pick<AlertRules, 'declared' | 'declare' | 'change' | 'remove'>;
  readonly vault: Pick<Vault, 'seal'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'bytes'>;
};

type Agent = Omit<AgentProcess, 'running'>;

/** An alert of a registered endpoint. */
export interface EndpointAlert {
  readonly registered: RegisteredEndpoint;
  /** The name of the alert in its endpoint. */
  readonly key: string;
  readonly alert: DeclaredAlert;
}

/**
 * Makes the declared rules of an agent name equal to its file (decision 70, alert rules in a file). Returns warnings for the agent.
 *
 * It follows the registration, and each registration repeats it: what a hub that died left undone is done when the agent is back.
 * The id of a rule derives from its declaration, so two hubs at once make one rule.
 */
export async function followDeclaredAlerts(
  deps: DeclaredAlertsDeps,
  agent: Agent,
  wanted: readonly EndpointAlert[],
): Promise<string[]> {
  const stored = await deps.alertRules.declared(agent.workspaceId);
  const grants = grantsOnce(deps, agent.workspaceId);
  if (stored.length === 0 && wanted.length === 0) return [];
  const ids = new Set(wanted.map(ruleId));
  const gone = stored.filter(
    ({ rule, registeredBy }) =>
      registeredBy === undefined || (registeredBy === agent.name && !ids.has(rule.id)),
  );
  for (const { rule } of gone)
    await deps.alertRules.remove(rule.workspaceId, rule.id, entryOf(deps, agent, rule, 'alert.deleted'));
  const known = new Map(stored.map(({ rule }) => [rule.id, rule]));
  let room = MAX_DECLARED_IN_WORKSPACE - (stored.length - gone.length);
  const warnings: string[] = [];
  for (const one of wanted) {
    const rule = known.get(ruleId(one));
    if (rule === undefined && room-- <= 0) warnings.push(tooMany(one));
    else warnings.push(...(await declare({ ...deps, grants }, agent, rule, one)));
  }
  return warnings;
}

function tooMany({ registered: { endpoint }, key }: EndpointAlert): string {
  return `"${endpoint.slug}": alert "${key}" is left out: files declare at most ${MAX_DECLARED_IN_WORKSPACE} in a workspace`;
}

/** A rule keeps its channel, so another channel makes another rule. */
function ruleId({ registered, alert, key }: EndpointAlert): string {
  const text = hash('sha256', JSON.stringify([registered.id, key, channelOf(alert)]));
  // Version 8 of RFC 9562: made from other data.
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-8${text.slice(13, 16)}-8${text.slice(17, 20)}-${text.slice(20, 32)}`;
}

function channelOf({ target, channel = 'webhook' }: DeclaredAlert): AlertRule['channel'] {
  return secretInTarget(target) === undefined ? 'email' : channel;
}

type Grants = (name: string, by: Pick<DeclaredBy, 'tokenId' | 'instance'>) => ReturnType<typeof alertSecret>;

/** Most alerts of a file name the same secret, so each is looked up once in a registration. */
function grantsOnce(deps: DeclaredAlertsDeps, workspaceId: string): Grants {
  return oncePerKey(
    (name, { tokenId, instance }) => `${name} ${tokenId} ${instance}`,
    (name, by) => alertSecret(deps, workspaceId, name, by),
  );
}

/** Stores one alert of the file as a rule, if it is not stored as it is. Returns warnings about its secret. */
async function declare(
  deps: DeclaredAlertsDeps & { readonly grants: Grants },
  agent: Agent,
  rule: AlertRule | undefined,
  one: EndpointAlert,
): Promise<string[]> {
  const { name: agentName, instance, credential } = agent;
  const by = { tokenId: credential?.tokenId ?? '', instance };
  const name = secretInTarget(one.alert.target);
  const granted = name === undefined ? undefined : await deps.grants(name, by);
  const declared = { endpointId: one.registered.id, key: one.key, ...by };
  if (rule === undefined) await add(deps, agent, one, declared);
  else if (!isDeclaredSo(rule, one)) await change(deps, agent, { ...rule, declared }, one);
  // The rule is what it was. It keeps the process that it had, unless only this one may use the secret.
  else if (name !== undefined && granted?.kind === 'granted' && !(await isGranted(deps.grants, rule, name)))
    await change(deps, agent, { ...rule, declared }, one);
  if (granted?.kind !== 'refused') return [];
  const { slug } = one.registered.endpoint;
  return [`"${slug}": alert "${one.key}" of "${agentName}" is not sent: ${granted.refusal.message}`];
}

async function isGranted(grants: Grants, { declared }: AlertRule, name: string): Promise<boolean> {
  return declared !== undefined && (await grants(name, declared)).kind === 'granted';
}

async function add(
  deps: DeclaredAlertsDeps,
  agent: Agent,
  one: EndpointAlert,
  declared: DeclaredBy,
): Promise<void> {
  const { vault, random, clock, alertRules } = deps;
  const { workspaceId } = agent;
  const id = ruleId(one);
  const channel = channelOf(one.alert);
  const signing = { workspaceId, kind: 'alert_secret', id } as const;
  const rule: AlertRule = {
    ...fieldsOf(one),
    id,
    workspaceId,
    channel,
    agentName: undefined,
    isEnabled: true,
    sealedTarget: vault.seal(one.alert.target, { workspaceId, kind: 'alert_target', id }),
    secret:
      channel === 'webhook'
        ? { sealed: vault.seal(newSecret(random), signing), previous: undefined }
        : undefined,
    declared,
    createdBy: '',
    createdAtMs: clock.nowMs(),
    revision: 1,
  };
  await alertRules.declare(rule, entryOf(deps, agent, rule, 'alert.made'));
}

/** A lost race means that another hub has registered the same file. */
async function change(
  deps: DeclaredAlertsDeps,
  agent: Agent,
  rule: AlertRule,
  one: EndpointAlert,
): Promise<void> {
  const { workspaceId, id } = rule;
  const fields = fieldsOf(one);
  const changed = {
    ...rule,
    ...fields,
    isEnabled: true,
    sealedTarget: deps.vault.seal(one.alert.target, { workspaceId, kind: 'alert_target', id }),
  };
  const entry = entryOf(deps, agent, changed, 'alert.changed');
  await deps.alertRules.change(changed, entry, restartsWatch(rule, changed));
}

/** A hub of an earlier version may have changed a declared rule. */
function isDeclaredSo(rule: AlertRule, one: EndpointAlert): boolean {
  const fields = fieldsOf(one);
  const isSame = (key: keyof typeof fields) => JSON.stringify(rule[key]) === JSON.stringify(fields[key]);
  return rule.isEnabled && (Object.keys(fields) as (keyof typeof fields)[]).every(isSame);
}

/** The fields that the file decides. The filter by the endpoint keeps an alert from hearing of others. */
function fieldsOf({ registered: { endpoint }, alert, key }: EndpointAlert) {
  return {
    name: alert.name ?? `${endpoint.slug} ${key}`,
    events: alert.events,
    slug: endpoint.slug,
    shownTarget: alert.target,
    noSuccessMins: alert.noSuccessMins,
  };
}

function entryOf(
  { clock }: DeclaredAlertsDeps,
  { workspaceId, name }: Agent,
  rule: AlertRule,
  action: AuditAction,
): AuditEntry {
  return {
    workspaceId,
    atMs: clock.nowMs(),
    action,
    actor: { kind: 'agent', id: undefined, name },
    from: { address: undefined, userAgent: undefined },
    target: { kind: 'alert', id: rule.id, name: rule.name },
    details: action === 'alert.deleted' ? {} : detailsOf(rule),
  };
}
