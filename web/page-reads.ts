import { may, type Permission } from '@svc/core/workspace/permissions';
import { queryClient } from './api/query-client.ts';
import { type ListRoute, read, readPages } from './api/read.ts';
import { PAGE_WAIT_MS } from './page-wait.ts';

/**
 * The data of each page, by path: a page appears with its data, so that nothing in it moves. The keys of the queries are those
 * of the page.
 */
export const PAGE_READS = {
  '/agents': () => all(pages('listAgents'), allowed('agent.manage', pages('listAgentTokens'))),
  '/secrets': () => all(allowed('secret.manage', () => Promise.all(SECRETS.map((one) => one())))),
  '/api-keys': () =>
    all(
      pages('listApiKeys'),
      pages('listAiClients'),
      allowed('service_account.manage', pages('listServiceAccounts')),
    ),
  '/team': () =>
    all(
      usage,
      pages('listMembers'),
      ownership,
      allowed('member.invite', pages('listInvites')),
      groups,
      allowed('member.change_role', pages('listEndpointGrants')),
      allowed('member.change_role', endpointAccess),
    ),
  '/usage': () => all(usage, () => queryClient.prefetchQuery(read('showHostedUsage'))),
  '/audit': () => all(allowed('audit.view', pages('listAudit', { query: {} })), pages('listMembers')),
  '/settings': () => all(ofAccount, usernames, signInProvider, aiAccess),
  '/approvals': () =>
    all(
      pages('listApprovals', { query: { status: 'pending_approval' } }),
      pages('listApprovals', { query: { status: 'decided' } }),
    ),
  '/schedules': () => all(usage, pages('listSchedules')),
  '/alerts': () => all(allowed('endpoint.edit', pages('listAlerts'))),
  '/templates': () => all(() => queryClient.prefetchQuery(read('listTemplates', { query: {} }))),
  '/pipelines': () => all(pages('listPipelines')),
} as const satisfies Record<string, () => Promise<void>>;

const SECRETS = [
  pages('listSecrets'),
  pages('listSecretGrants'),
  () => queryClient.prefetchQuery(read('listSecretGrants', { query: { state: 'waiting', limit: 100 } })),
];

export type PagePath = keyof typeof PAGE_READS;

type Read = () => Promise<unknown>;

/** Resolves when everything was read, failed reads included: the page shows what failed. */
export async function all(...reads: readonly Read[]): Promise<void> {
  const wait = new Promise((resolve) => setTimeout(resolve, PAGE_WAIT_MS));
  await Promise.race([Promise.allSettled(reads.map((one) => one())), wait]);
}

/** Only the owner sees the groups and the provider. */
async function groups(): Promise<void> {
  const { role } = await queryClient.ensureQueryData(read('showWorkspace'));
  if (role !== 'owner') return;
  await Promise.all([
    queryClient.prefetchQuery(read('showGroupRoles')),
    queryClient.prefetchQuery(read('showProvisioning')),
  ]);
}

/** A session from the provider of the workspace does not see the account. */
async function ofAccount(): Promise<void> {
  const { provider_only } = await queryClient.ensureQueryData(read('showWorkspace'));
  if (provider_only) return;
  const parts = [
    () => queryClient.prefetchQuery(read('showEmailChange')),
    pages('listSessions'),
    pages('listPasskeys'),
    pages('listIdentities'),
    pages('listPersonalTokens'),
  ];
  await Promise.all(parts.map((one) => one()));
}

/** Only the owner sees it. */
async function signInProvider(): Promise<void> {
  const { role } = await queryClient.ensureQueryData(read('showWorkspace'));
  if (role === 'owner') await queryClient.prefetchQuery(read('showSignInProvider'));
}

/** Only the owner may read the former usernames. */
async function usernames(): Promise<void> {
  const { role } = await queryClient.ensureQueryData(read('showWorkspace'));
  if (role === 'owner') await queryClient.prefetchQuery(read('showUsername'));
}

function ownership(): Promise<void> {
  return queryClient.prefetchQuery(read('showOwnership'));
}

function endpointAccess(): Promise<void> {
  return queryClient.prefetchQuery(read('showEndpointAccess'));
}

function aiAccess(): Promise<void> {
  return queryClient.prefetchQuery(read('showAiAccess'));
}

function usage(): Promise<void> {
  return queryClient.prefetchQuery(read('showUsage'));
}

function pages<Name extends ListRoute>(...[route, ...call]: Parameters<typeof readPages<Name>>): Read {
  return () => queryClient.prefetchInfiniteQuery(readPages(route, ...call));
}

/** Reads only what the role may see. */
function allowed(permission: Permission, load: Read): Read {
  return async () => {
    const { role } = await queryClient.ensureQueryData(read('showWorkspace'));
    if (may(role, permission)) await load();
  };
}
