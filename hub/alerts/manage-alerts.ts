import type { Network } from '@svc/core/alert/address';
import type { AlertEventName } from '@svc/core/alert/event';
import { testAlert } from '@svc/core/alert/make-event';
import { refuseFields } from '@svc/core/api/field-problem';
import type { AuditAction } from '@svc/core/audit/actions';
import type { AuditDetails, AuditEntry, AuditSource } from '@svc/core/audit/entry';
import { type Refusal, refuse } from '@svc/core/refusal';
import type { Accounts } from '../accounts/store/account-store.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import type { Clock, Random, Vault } from '../platform/world.ts';
import type { AlertChannel, AlertRule, SigningSecret } from './alert-ports.ts';
import { type FanOutDeps, tryRule } from './fan-out.ts';
import type { AlertRules } from './store/alert-rules.ts';
import { urlProblem } from './target-problem.ts';

const MAX_RULES = 100;

export type AlertDeps = {
  readonly accounts: Accounts;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
} & {
  readonly alertRules: AlertRules;
  /** Serializes changes per workspace, so that each change sees what the previous one stored. */
  readonly mutex: KeyedMutex;
  /** Private networks that the operator allows. */
  readonly alertNetworks: readonly Network[];
};

/** A member's request for a rule. */
interface WantedRule {
  readonly name: string;
  readonly events: readonly AlertEventName[];
  readonly slug: string | undefined;
  readonly agentName: string | undefined;
  readonly channel: AlertChannel;
  readonly target: string;
  readonly isEnabled: boolean;
  readonly noSuccessMins: number | undefined;
}

/** The fields to change; absent fields stay unchanged. */
export type RuleChanges = { readonly [Key in keyof Omit<WantedRule, 'channel'>]?: WantedRule[Key] };

interface Who {
  readonly workspaceId: string;
  readonly userId: string;
  readonly by: AuditSource;
}

/** Creates a rule. For a webhook it returns the signing secret, which is shown only once. */
export async function makeRule(
  deps: AlertDeps,
  { workspaceId, userId, by }: Who,
  wanted: WantedRule,
): Promise<{ readonly rule: AlertRule; readonly secret: string | undefined }> {
  const { clock, random, vault } = deps;
  refuseUnfitWatch(wanted);
  await refuseTarget(deps, workspaceId, wanted);
  const id = random.uuid();
  const secret = wanted.channel === 'webhook' ? newSecret(random) : undefined;
  const { target, ...rest } = wanted;
  const rule: AlertRule = {
    ...rest,
    id,
    workspaceId,
    sealedTarget: vault.seal(target, { workspaceId, kind: 'alert_target', id }),
    shownTarget: shownTarget(wanted.channel, target),
    secret:
      secret === undefined
        ? undefined
        : { sealed: vault.seal(secret, { workspaceId, kind: 'alert_secret', id }), previous: undefined },
    declared: undefined,
    createdBy: userId,
    createdAtMs: clock.nowMs(),
    revision: 1,
  };
  await addUpToLimit(deps, rule, entryOf(deps, by, rule, 'alert.made', detailsOf(rule)));
  return { rule, secret };
}

async function addUpToLimit(
  { alertRules, mutex }: AlertDeps,
  rule: AlertRule,
  entry: AuditEntry,
): Promise<void> {
  await mutex.take(`alerts ${rule.workspaceId}`, async () => {
    const made = (await alertRules.of(rule.workspaceId)).filter(({ declared }) => declared === undefined);
    if (made.length >= MAX_RULES)
      throw refuse('invalid_argument', `a workspace has at most ${MAX_RULES} alert rules`);
    await alertRules.add(rule, entry);
  });
}

export async function changeRule(
  deps: AlertDeps,
  rule: AlertRule,
  { target, ...changes }: RuleChanges,
  by: AuditSource,
): Promise<AlertRule> {
  refuseDeclared(rule);
  refuseUnfitWatch({ ...rule, ...changes });
  const { workspaceId, id, channel } = rule;
  if (target !== undefined) await refuseTarget(deps, workspaceId, { channel, target });
  const changed: AlertRule = {
    ...rule,
    ...changes,
    ...(target === undefined
      ? {}
      : {
          sealedTarget: deps.vault.seal(target, { workspaceId, kind: 'alert_target', id }),
          shownTarget: shownTarget(channel, target),
        }),
  };
  const entry = entryOf(deps, by, changed, 'alert.changed', {
    ...detailsOf(changed),
    enabled: changed.isEnabled,
    ...(target === undefined ? {} : { target_changed: true }),
  });
  return await store(deps, changed, entry, restartsWatch(rule, changed));
}

/** Whether a changed rule waits for another success than before. An alert that was sent about a missing success then no longer counts. */
export function restartsWatch(before: AlertRule, after: AlertRule): boolean {
  return (
    after.slug !== before.slug ||
    after.noSuccessMins !== before.noSuccessMins ||
    after.isEnabled !== before.isEnabled
  );
}

/** A rule with `no_success_since` names the endpoint and the minutes (decision 39, alerts). */
function refuseUnfitWatch({
  events,
  slug,
  noSuccessMins,
}: Pick<WantedRule, 'events' | 'slug' | 'noSuccessMins'>): void {
  const waits = events.includes('no_success_since');
  const problems = [
    ...(waits && slug === undefined
      ? [{ path: ['endpoint'], message: 'required with the event no_success_since' }]
      : []),
    ...(waits === (noSuccessMins !== undefined)
      ? []
      : [
          {
            path: ['no_success_mins'],
            message: waits
              ? 'required with the event no_success_since'
              : 'only with the event no_success_since',
          },
        ]),
  ];
  if (problems.length > 0) throw refuseFields(problems);
}

function refuseDeclared({ declared, slug }: AlertRule): void {
  if (declared === undefined) return;
  throw refuse(
    'managed_by_config',
    `the file of an agent declares this rule under alerts of "${slug ?? ''}": change it there`,
  );
}

export async function deleteRule(deps: AlertDeps, rule: AlertRule, by: AuditSource): Promise<void> {
  refuseDeclared(rule);
  const entry = entryOf(deps, by, rule, 'alert.deleted', {});
  if (!(await deps.alertRules.remove(rule.workspaceId, rule.id, entry))) throw noSuchRule();
}

/** Creates a new signing secret, shown only once. The previous one also signs for a day. */
export async function rotateRuleSecret(deps: AlertDeps, rule: AlertRule, by: AuditSource): Promise<string> {
  const { workspaceId, id, secret: old } = rule;
  if (old === undefined) throw refuse('invalid_argument', 'only the alerts of a webhook are signed');
  const secret = newSecret(deps.random);
  const sealed = deps.vault.seal(secret, { workspaceId, kind: 'alert_secret', id });
  const changed = { ...rule, secret: rotated(old, sealed, deps.clock.nowMs()) };
  await store(deps, changed, entryOf(deps, by, rule, 'alert.secret_rotated', {}));
  return secret;
}

/** The number of attempts; each lost attempt means that another request stored a secret first. */
const ATTEMPTS = 50;

/** Creates a new secret for the callbacks of a workspace. The previous one also signs for a day. */
export async function rotateCallbackSecret(
  deps: AlertDeps,
  workspaceId: string,
  by: AuditSource,
): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const secret = await replaceCallbackSecret(deps, workspaceId, by);
    if (secret !== undefined) return secret;
  }
  throw refuse('unavailable', 'this secret is being replaced by too many at once');
}

/** Undefined when another request was first. */
async function replaceCallbackSecret(
  { alertRules, vault, random, clock }: AlertDeps,
  workspaceId: string,
  by: AuditSource,
): Promise<string | undefined> {
  const secret = newSecret(random);
  const sealed = vault.seal(secret, { workspaceId, kind: 'callback_secret', id: workspaceId });
  const old = await alertRules.callbackSecret(workspaceId);
  const atMs = clock.nowMs();
  const made = old === undefined ? { sealed, previous: undefined } : rotated(old, sealed, atMs);
  const isStored = await alertRules.setCallbackSecret(workspaceId, made, old, {
    ...by,
    workspaceId,
    atMs,
    action: 'alert.callback_secret_made',
    target: { kind: 'workspace', id: workspaceId, name: 'callbacks' },
    details: {},
  });
  return isStored ? secret : undefined;
}

/** Sends a test alert to the rule. Returns the id of the delivery in the log. */
export async function testRule(deps: FanOutDeps & AlertDeps, rule: AlertRule): Promise<string> {
  const { random, clock } = deps;
  const base = { id: random.uuid(), workspaceId: rule.workspaceId, atMs: clock.nowMs() };
  return await tryRule(deps, rule, testAlert(base, rule.name));
}

export function noSuchRule(): Refusal {
  return refuse('not_found', 'there is no such alert rule');
}

/** How long the previous secret also signs after a rotation. */
const OVERLAP_MS = 24 * 60 * 60 * 1000;

function rotated(old: SigningSecret, sealed: string, nowMs: number): SigningSecret {
  return { sealed, previous: { sealed: old.sealed, untilMs: nowMs + OVERLAP_MS } };
}

async function store(
  { alertRules }: AlertDeps,
  rule: AlertRule,
  entry: AuditEntry,
  isWatchRestarted = false,
): Promise<AlertRule> {
  if (await alertRules.change(rule, entry, isWatchRestarted)) return rule;
  if ((await alertRules.find(rule.workspaceId, rule.id)) === undefined) throw noSuchRule();
  throw refuse('version_conflict', 'the rule was changed by somebody else at the same moment');
}

async function refuseTarget(
  { accounts, alertNetworks }: AlertDeps,
  workspaceId: string,
  { channel, target }: Pick<WantedRule, 'channel' | 'target'>,
): Promise<void> {
  const problem =
    channel === 'email'
      ? await mailProblem(accounts, workspaceId, target)
      : urlProblem(target, alertNetworks);
  if (problem !== undefined) throw refuseFields([{ path: ['target'], message: problem }]);
}

/** Mails go only to members, so that rules of a workspace cannot write to strangers. */
async function mailProblem(
  accounts: Accounts,
  workspaceId: string,
  target: string,
): Promise<string | undefined> {
  const user = await accounts.userByEmail(target);
  const member = user && (await accounts.member(workspaceId, user.id));
  return member === undefined ? 'the e-mail address of a member of the workspace expected' : undefined;
}

/** The URL of a webhook or a chat is a secret. A rule shows its host, and not the part that grants access. */
function shownTarget(channel: AlertChannel, target: string): string {
  return channel === 'email' ? target : `${new URL(target).origin}/…`;
}

export function detailsOf(rule: AlertRule): AuditDetails {
  const { events, slug, agentName, channel, shownTarget: target, noSuccessMins } = rule;
  return {
    ...{ events, endpoint: slug ?? null, agent: agentName ?? null, channel, target },
    ...(noSuccessMins === undefined ? {} : { no_success_mins: noSuccessMins }),
  };
}

function entryOf(
  { clock }: AlertDeps,
  by: AuditSource,
  { workspaceId, id, name }: AlertRule,
  action: AuditAction,
  details: AuditDetails,
): AuditEntry {
  const target = { kind: 'alert', id, name } as const;
  return { ...by, workspaceId, atMs: clock.nowMs(), action, target, details };
}

const SECRET_BYTES = 32;

/** A new secret in the format of Standard Webhooks. */
export function newSecret({ bytes }: Pick<Random, 'bytes'>): string {
  return `whsec_${bytes(SECRET_BYTES).toBase64()}`;
}
