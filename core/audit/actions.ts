/** The actions of the audit log, with the words that follow the name of the actor (decision 48, the audit log). */
export const AUDIT_ACTIONS = {
  'workspace.created': 'created the workspace',
  'workspace.username_chosen': 'chose the username',
  'workspace.plan_changed': 'changed the plan',
  'workspace.hosted_network_changed': 'changed whether its hosted executions reach a network',
  'workspace.ai_access_changed': 'changed what AI agents may do',
  'workspace.deleted': 'deleted the workspace',
  'account.signed_in': 'signed in',
  'account.signed_out': 'signed out',
  'account.signed_out_everywhere': 'signed out everywhere',
  'account.identity_linked': 'linked a sign-in of a provider',
  'account.identity_unlinked': 'unlinked a sign-in of a provider',
  'access_token.made': 'created an access token',
  'access_token.revoked': 'revoked an access token',
  'device.approved': 'allowed a program to sign in',
  'device.denied': 'refused to let a program sign in',
  'api_key.made': 'created an API key',
  'api_key.rotated': 'rotated an API key',
  'api_key.revoked': 'revoked an API key',
  'ai_client.allowed': 'allowed an AI client to act for them',
  'ai_client.denied': 'refused to let an AI client act for them',
  'ai_client.revoked': 'revoked the access of an AI client',
  'ai_client.misused': 'revoked the access of an AI client: its code or refresh token came twice',
  'agent_token.made': 'created an agent token',
  'agent_token.enrolled': 'exchanged an enrolment token for its agent token',
  'agent_token.revoked': 'revoked an agent token',
  'agent_token.bound': 'made its first connection, which bound its agent token to its name',
  'agent_token.name_refused': 'was refused: its agent token is for another name, or the name is taken',
  'agent.registered': 'registered what is in its file',
  'secret.set': 'set a secret',
  'secret.deleted': 'deleted a secret',
  'secret.allowed': 'allowed the use of a secret',
  'secret.refused': 'refused the use of a secret',
  'endpoint.created': 'created an endpoint',
  'endpoint.changed': 'changed an endpoint',
  'endpoint.deleted': 'deleted an endpoint',
  'pipeline.created': 'created a pipeline',
  'pipeline.changed': 'changed a pipeline',
  'pipeline.deleted': 'deleted a pipeline',
  'alert.made': 'created an alert rule',
  'alert.changed': 'changed an alert rule',
  'alert.deleted': 'deleted an alert rule',
  'alert.secret_rotated': 'created a new secret for an alert rule',
  'alert.callback_secret_made': 'created a new secret for callbacks',
  'approval.approved': 'approved a call',
  'approval.denied': 'denied a call',
  'approval.expired': 'let a call expire that nobody had decided on',
  'approval.stale': 'could not approve a call that is not as it was',
  'approval.tried_again': 'tried to decide on a call that was decided on',
  'schedule.paused': 'paused a schedule',
  'schedule.resumed': 'resumed a schedule',
  'member.invited': 'invited a member',
  'member.invite_resent': 'sent an invitation again',
  'member.invite_withdrawn': 'withdrew an invitation',
  'member.joined': 'joined the workspace',
  'member.role_changed': 'changed a role',
  'member.removed': 'removed a member',
  'member.left': 'left the workspace',
  'member.groups_set': 'changed which groups of the sign-in provider have roles',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

/** The words of an action, to follow the name of the actor. A hub of a later version may have written others. */
export function actionWords(action: string): string {
  const known: Readonly<Record<string, string>> = AUDIT_ACTIONS;
  return (Object.hasOwn(known, action) ? known[action] : undefined) ?? `did "${action}"`;
}

/** The same as a list, for schemas and filters. */
export const AUDIT_ACTION_NAMES = Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]];
