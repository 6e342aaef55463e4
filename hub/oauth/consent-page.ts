import { isLoopbackUri } from '@svc/core/oauth/redirect-uri';
import type { Scopes } from '@svc/core/oauth/scopes';
import { shownAddress } from '@svc/core/text/shown-address';
import type { Workspace } from '../accounts/account-ports.ts';
import { type Html, html } from '../platform/pages/html.ts';
import { formPolicy, formsMayLeadTo, PAGE_STYLE, styledPage } from '../platform/pages/page.ts';
import type { Client } from './find-client.ts';

/** An endpoint of the list on the page. */
export interface ListedEndpoint {
  readonly slug: string;
  readonly description: string | undefined;
  readonly needsApproval: boolean;
}

export interface ConsentPage {
  readonly hubUrl: string;
  readonly client: Client;
  readonly redirectUri: string;
  readonly email: string;
  readonly workspace: Workspace;
  /** The workspaces of the user, to choose from; one if the request names it. */
  readonly workspaces: readonly Workspace[];
  /** Leads to the same page for another workspace, whose id is appended. */
  readonly pathForWorkspace: string;
  readonly scopes: Scopes;
  /** Those that the client asks for. */
  readonly endpoints: readonly ListedEndpoint[];
  /** The sealed facts of the request, for the form. */
  readonly ticket: string;
}

const STYLE = `${PAGE_STYLE}
label.choice{display:flex;gap:8px;align-items:baseline;margin:8px 0;font-weight:400}
label.choice input{display:inline;width:auto;min-height:0;margin:0;flex:none}
fieldset{border:1px solid var(--edge);border-radius:var(--radius);margin:16px 0;padding:8px 16px}
legend{font-size:.875rem;font-weight:600;padding:0 4px}
`;

/** Shows who asks for what. Only its form decides; no other site can show the page in a frame (RFC 9700, 4.16). */
export function consentPage(given: ConsentPage): Response {
  const { hubUrl, client, redirectUri, email, scopes, ticket, workspace } = given;
  const body = html`<h1>Allow ${client.name}?</h1>
<p><b>${client.name}</b>${vouchedBy(client)} wants to act for <b>${shownAddress(email)}</b> in
<b>${nameOf(workspace)}</b>.</p>
${warning(client, redirectUri)}
${otherWorkspaces(given)}
<form method="post" action="/oauth/authorize"><input type="hidden" name="ticket" value="${ticket}">
<input type="hidden" name="workspace" value="${workspace.id}">
${runField(given)}
${scopes.read ? READ_FIELD : undefined}
<p class="note">It cannot approve calls. You can revoke its access in the dashboard, under "API keys".</p>
<button name="decision" value="allow">Allow</button>
<button class="other" name="decision" value="deny">Refuse</button></form>`;
  const response = styledPage(
    { title: `Allow ${client.name}?`, body, style: STYLE },
    200,
    formPolicy(hubUrl),
  );
  return formsMayLeadTo(response, redirectUri);
}

const READ_FIELD = html`<fieldset><legend>Read</legend>
<label class="choice"><input type="checkbox" name="read" value="1" checked>
<span>State and output of every execution in the workspace. Without it: only of its own calls.</span></label></fieldset>`;

function vouchedBy({ host }: Client): Html {
  return host === undefined ? html`, a program that registered itself,` : html` of <b>${host}</b>`;
}

/** A name proves nothing; the place where the code goes says who gets the access. */
function warning({ host }: Client, redirectUri: string): Html {
  if (isLoopbackUri(redirectUri))
    return html`<p role="alert">The access goes to a program on this computer. Allow it only if you just started
that program yourself.</p>`;
  const url = new URL(redirectUri);
  const place = url.protocol === 'https:' ? url.host : url.protocol;
  return host === place
    ? html`<p>The access goes to <b>${place}</b>.</p>`
    : html`<p role="alert">The access goes to <b>${place}</b>. Allow it only if you know this site or program.</p>`;
}

function otherWorkspaces({ workspaces, workspace, pathForWorkspace }: ConsentPage): Html | undefined {
  const others = workspaces.filter(({ id }) => id !== workspace.id);
  if (others.length === 0) return undefined;
  const links = others.map((one) => html` <a href="${pathForWorkspace}${one.id}">${nameOf(one)}</a>`);
  return html`<p class="note">Another workspace:${links}</p>`;
}

function nameOf({ username }: Workspace): string {
  return username ?? 'your personal workspace';
}

function runField({ scopes, endpoints }: ConsentPage): Html | undefined {
  if (scopes.run !== 'all' && scopes.run.length === 0) return undefined;
  const isAll = scopes.run === 'all';
  const every = isAll
    ? html`<label class="choice"><input type="checkbox" name="run" value="*" checked>
<span>Every endpoint that you may call, also those added later</span></label>`
    : undefined;
  const each = endpoints.map(
    ({ slug, description, needsApproval }) => html`<label class="choice">
<input type="checkbox" name="run" value="${slug}"${isAll ? undefined : html` checked`}>
<span><b>${slug}</b>${needsApproval ? ' (a person approves each call)' : ''}${description === undefined ? '' : `: ${description}`}</span></label>`,
  );
  const only = isAll && endpoints.length > 0 ? html`<p class="note">Or only these:</p>` : undefined;
  const none =
    !isAll && endpoints.length === 0
      ? html`<p>The endpoints that this program asks for do not exist in this workspace.</p>`
      : undefined;
  return html`<fieldset><legend>Run</legend>${every}${only}${each}${none}</fieldset>`;
}
