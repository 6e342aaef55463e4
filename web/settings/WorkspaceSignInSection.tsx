import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { DraftNotice } from '../design/form/DraftNotice.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Toggle } from '../design/form/Toggle.tsx';
import { forgetDraft, useKeptDraft } from '../design/form/use-kept-draft.ts';
import { Problem } from '../design/list/Problem.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Section } from '../design/Page.tsx';
import { Code, Visible } from '../design/text/Code.tsx';
import { UrlText } from '../design/text/UrlText.tsx';

type Shown = Answer<'showSignInProvider'>;
type Provider = NonNullable<Shown['provider']>;

/** The sign-in provider of the workspace, for its owner (decision 92, providers of workspaces). */
export function WorkspaceSignInSection() {
  const { role } = useAccount();
  const { data } = useQuery({ ...read('showSignInProvider'), enabled: role === 'owner' });
  const [isEdited, setIsEdited] = useState(false);
  if (data === undefined) return null;
  const { provider, redirect_uri, logout_uri } = data;
  return (
    <Section title="Sign-in provider of the workspace">
      <p className="max-w-prose text-soft">
        Members sign in to this workspace at an OpenID provider of your own, such as Keycloak or Entra ID.
      </p>
      {redirect_uri === null ? (
        <p>Choose a username for the workspace first: the redirect address contains it.</p>
      ) : (
        <p>
          Redirect address to register at the provider: <UrlText url={redirect_uri} />
        </p>
      )}
      {logout_uri !== null && (
        <p>
          Back-channel logout address, so that a sign-out there ends sessions here:{' '}
          <UrlText url={logout_uri} />
        </p>
      )}
      {provider !== null && !isEdited && (
        <ShownProvider shown={data} provider={provider} onEdit={() => setIsEdited(true)} />
      )}
      {redirect_uri !== null && (provider === null || isEdited) && (
        <ProviderForm provider={provider} onDone={() => setIsEdited(false)} />
      )}
    </Section>
  );
}

interface ShownProviderProps {
  readonly shown: Shown;
  readonly provider: Provider;
  readonly onEdit: () => void;
}

function ShownProvider({ shown, provider, onEdit }: ShownProviderProps) {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const remove = useAction('removeSignInProvider', {
    changes: ['showSignInProvider', 'showGroupRoles', 'listMembers'],
    doneMessage: () => 'Sign-in provider removed',
    onDone: () => setIsDialogOpen(false),
  });
  return (
    <div>
      <Row
        title={<Visible text={provider.name} />}
        facts={[
          <Visible key="issuer" text={provider.issuer} />,
          provider.required ? 'required for members' : 'offered to members',
          provider.groups_claim !== null && `groups in ${provider.groups_claim}`,
        ]}
        actions={
          <>
            <Button kind="plain" onClick={onEdit}>
              Change
            </Button>
            <Button kind="plain" className="text-bad" onClick={() => setIsDialogOpen(true)}>
              Remove
            </Button>
          </>
        }
      />
      {shown.sign_in_url !== null && (
        <p>
          Members sign in at <Code text={shown.sign_in_url} />
        </p>
      )}
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Remove ${provider.name}?`}
        action="Remove provider"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate(undefined)}
      >
        <p>
          All sessions that came from it end. Members by a group become members by hand, and sign in with a
          link by email.
        </p>
      </Confirm>
    </div>
  );
}

/** What the form keeps while it is not saved: all but the secret. */
interface ProviderDraft {
  readonly issuer: string;
  readonly clientId: string;
  readonly name: string;
  readonly scopes: string;
  readonly claim: string;
  readonly isRequired: boolean;
}

function draftOf(provider: Provider | null): ProviderDraft {
  return {
    issuer: provider?.issuer ?? '',
    clientId: provider?.client_id ?? '',
    name: provider?.name ?? '',
    scopes: provider?.scopes ?? 'openid email profile',
    claim: provider?.groups_claim ?? '',
    isRequired: provider?.required ?? false,
  };
}

interface ProviderFormProps {
  readonly provider: Provider | null;
  readonly onDone: () => void;
}

function ProviderForm({ provider, onDone }: ProviderFormProps) {
  const draftName = `sign-in-provider.${provider === null ? 'new' : 'saved'}`;
  const kept = useKeptDraft(draftName, draftOf(provider));
  const { draft } = kept;
  const { issuer, clientId, name, scopes, claim, isRequired } = draft;
  const set = (part: Partial<ProviderDraft>) => kept.change({ ...draft, ...part });
  const [secret, setSecret] = useState('');
  const close = () => {
    forgetDraft(draftName);
    onDone();
  };
  const save = useAction('setSignInProvider', {
    changes: ['showSignInProvider', 'showGroupRoles'],
    isProblemShown: true,
    doneMessage: () => 'Sign-in provider saved',
    onDone: close,
  });
  const test = useAction('testSignInProvider', { isProblemShown: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate({
      body: {
        issuer,
        client_id: clientId,
        ...(secret === '' ? {} : { client_secret: secret }),
        name,
        scopes,
        groups_claim: claim === '' ? null : claim,
        required: isRequired,
      },
    });
  };
  return (
    <form onSubmit={submit} className="flex max-w-3xl flex-col gap-3">
      <DraftNotice kept={{ ...kept, isChanged: kept.isChanged || secret !== '' }} />
      <div className="grid items-start gap-3 sm:grid-cols-2">
        <TextField
          label="Issuer"
          value={issuer}
          onChange={(next) => set({ issuer: next })}
          isCode
          input={{
            required: true,
            type: 'url',
            placeholder: 'https://login.example.com',
            autoComplete: 'off',
          }}
        />
        <TextField
          label="Client ID"
          value={clientId}
          onChange={(next) => set({ clientId: next })}
          isCode
          input={{ required: true, autoComplete: 'off' }}
        />
        <TextField
          label="Client secret"
          value={secret}
          onChange={setSecret}
          isCode
          hint={
            provider?.has_secret ? 'Leave empty to keep the current one.' : 'Leave empty for a public client.'
          }
          input={{ type: 'password', autoComplete: 'off' }}
        />
        <TextField
          label="Button label"
          value={name}
          onChange={(next) => set({ name: next })}
          input={{ required: true, maxLength: 60, autoComplete: 'off' }}
        />
        <TextField
          label="Scopes"
          value={scopes}
          onChange={(next) => set({ scopes: next })}
          isCode
          input={{ required: true }}
        />
        <TextField
          label="Claim with groups (optional)"
          value={claim}
          onChange={(next) => set({ claim: next })}
          isCode
          hint="Map the groups to roles on the page Team."
          input={{ autoComplete: 'off', placeholder: 'groups' }}
        />
      </div>
      <Toggle
        label="Members must sign in at this provider"
        hint="You, the owner, keep the link by email."
        isOn={isRequired}
        onChange={(next) => set({ isRequired: next })}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" type="submit" isPending={save.isPending}>
          Save provider
        </Button>
        <Button isPending={test.isPending} onClick={() => test.mutate({ body: { issuer } })}>
          Test connection
        </Button>
        {provider !== null && (
          <Button kind="plain" onClick={close}>
            Cancel
          </Button>
        )}
      </div>
      {test.data !== undefined && <Found facts={test.data} />}
      {test.error && <Problem error={test.error} />}
      {save.error && <Problem error={save.error} />}
    </form>
  );
}

function Found({ facts }: { readonly facts: Answer<'testSignInProvider'> }) {
  return (
    <div role="status">
      <p>
        Found: people sign in at <Code text={facts.authorization_endpoint} />.
      </p>
      {facts.warnings.map((warning) => (
        <p key={warning}>{warning}</p>
      ))}
    </div>
  );
}
