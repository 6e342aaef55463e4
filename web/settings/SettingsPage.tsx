import { shownAddress } from '@svc/core/text/shown-address';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useAccount, useMay } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Select } from '../design/form/Select.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Page, Section } from '../design/Page.tsx';
import { chooseTheme, useTheme } from '../design/theme.ts';
import { AccessTokenList } from './AccessTokenList.tsx';
import { AiAccessSection } from './AiAccessSection.tsx';
import { DemandSecondFactor } from './DemandSecondFactor.tsx';
import { EmailChange } from './EmailChange.tsx';
import { LinkedSignIns } from './LinkedSignIns.tsx';
import { PasskeySection } from './PasskeySection.tsx';
import { SecondFactorSection } from './SecondFactorSection.tsx';
import { SectionList } from './SectionList.tsx';
import { Sessions } from './Sessions.tsx';
import { UsernameSection } from './UsernameSection.tsx';
import { WorkspaceSignInSection } from './WorkspaceSignInSection.tsx';
import { WorkspacesSection } from './WorkspacesSection.tsx';

/** Settings of the person, and the deletion of the workspace. */
export function SettingsPage() {
  const { provider_only } = useAccount();
  const sections = useRef<HTMLDivElement>(null);
  return (
    <Page title="Settings" about="Your account, and the workspace.">
      <div className="grid gap-x-10 lg:grid-cols-[12rem_minmax(0,1fr)] xl:grid-cols-[9rem_minmax(0,1fr)] 2xl:grid-cols-[12rem_minmax(0,1fr)]">
        <SectionList of={sections} />
        <div
          ref={sections}
          className="grid max-w-3xl items-start gap-x-8 gap-y-8 xl:max-w-none xl:grid-cols-2 2xl:gap-x-12"
        >
          <div className={COLUMN}>{provider_only ? <ProviderAccount /> : <OwnAccount />}</div>
          <div className={COLUMN}>
            {!provider_only && <WorkspacesSection />}
            <UsernameSection />
            <WorkspaceSignInSection />
            <DemandSecondFactor />
            <AiAccessSection />
            <Section title="Delete workspace">
              <DeleteWorkspace />
            </Section>
            <p>
              <a href={LICENSES_PATH} className="underline">
                Licenses of the software
              </a>
            </p>
          </div>
        </div>
      </div>
    </Page>
  );
}

/** The account is in the first column, the workspace in the second; on a narrower screen below it. */
const COLUMN = 'flex min-w-0 flex-col gap-8';

function OwnAccount() {
  return (
    <>
      <Section title="Account">
        <Account />
      </Section>
      <Section title="Active sessions">
        <Sessions />
      </Section>
      <Section title="Passkeys">
        <PasskeySection />
      </Section>
      <Section title="Second factor">
        <SecondFactorSection />
      </Section>
      <LinkedSignIns />
      <Section title="Email address">
        <EmailChange />
      </Section>
      <Section title="Access tokens">
        <AccessTokenList />
      </Section>
    </>
  );
}

/** A person whom the provider of the workspace signed in has no account elsewhere. */
function ProviderAccount() {
  return (
    <>
      <Section title="Account">
        <Account />
      </Section>
      <p className="max-w-prose text-soft">
        You signed in at the provider of this workspace, for this workspace only. To change your account, sign
        in with a link by email or a passkey.
      </p>
    </>
  );
}

const OPTIONS = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

/** Who is signed in, where, and how the dashboard looks in this browser. */
function Account() {
  const { email, username, role } = useAccount();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return (
    <div className="flex flex-col gap-4 rounded bg-raised p-4">
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-1 sm:grid-cols-[10rem_minmax(0,1fr)]">
        <Fact name="Email">{shownAddress(email)}</Fact>
        <Fact name="Workspace">
          {username ?? 'Personal'}, you are {role}
        </Fact>
        <Fact name="Time zone">{timeZone}, from this browser</Fact>
        <Fact name="Notifications">
          <Link to="/alerts" className="text-accent hover:underline">
            Alert rules
          </Link>
        </Fact>
      </dl>
      <div className="w-48">
        <Select label="Theme in this browser" options={OPTIONS} value={useTheme()} onChange={chooseTheme} />
      </div>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </>
  );
}

/** Deletion cannot be undone, so the username must be typed. */
function DeleteWorkspace() {
  const can = useMay('workspace.delete');
  const { username } = useAccount();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const remove = useAction('deleteWorkspace', {
    // A person with another workspace of their own may be signed in there; else the hub leads to the sign-in.
    onDone: () => chooseWorkspace(undefined),
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <p className="max-w-prose text-soft">
        Deletes all endpoints, executions with their output, secrets, keys and members, and cancels running
        executions. The username can't be used again.
      </p>
      <Button kind="danger" onClick={() => setIsDialogOpen(true)} why={can.ok ? undefined : can.reason}>
        Delete workspace
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Delete workspace ${username ?? ''}?`}
        action="Delete workspace"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate({ body: { username } })}
        {...(username !== null && { typed: username })}
      >
        <p>All data of the workspace is deleted. You cannot undo this.</p>
      </Confirm>
    </div>
  );
}
