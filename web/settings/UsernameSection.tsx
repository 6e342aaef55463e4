import { OLD_URLS, type OldUrls } from '@svc/core/workspace/username';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { UsernameField, useUsernameInput } from '../account/UsernameField.tsx';
import { type Answer, read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { DraftNotice } from '../design/form/DraftNotice.tsx';
import { Select } from '../design/form/Select.tsx';
import { forgetDraft } from '../design/form/use-kept-draft.ts';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Section } from '../design/Page.tsx';
import { Time } from '../design/time/Time.tsx';

const LABELS: Readonly<Record<OldUrls, string>> = {
  redirect: 'Redirect to the new URLs',
  gone: 'Answer 410',
};
const OPTIONS = OLD_URLS.map((value) => ({ value, label: LABELS[value] }));

/** The username of the workspace, and its former ones, for the owner (decision 102, change of username). */
export function UsernameSection() {
  const { role, username } = useAccount();
  if (role !== 'owner' || username === null) return null;
  return (
    <Section title="Username">
      <NewUsername present={username} />
      <FormerUsernames />
    </Section>
  );
}

/** The name of its draft. */
const DRAFT = 'new-username';

function NewUsername({ present }: { readonly present: string }) {
  const input = useUsernameInput(DRAFT);
  const username = input.value;
  const [oldUrls, setOldUrls] = useState<OldUrls>('redirect');
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const change = useAction('changeUsername', {
    isProblemShown: true,
    // The tab may have selected the workspace by its old username.
    onDone() {
      forgetDraft(DRAFT);
      chooseWorkspace(username, '/settings');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    input.check();
    setIsDialogOpen(input.isFit);
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
      <DraftNotice kept={input.kept} />
      <div className="w-72 max-w-full">
        <UsernameField
          input={input}
          action={change}
          label="New username"
          hint={`Now ${present}. The username is part of every URL.`}
        />
      </div>
      <div className="w-56 sm:mb-[22px]">
        <Select label="URLs with the old username" options={OPTIONS} value={oldUrls} onChange={setOldUrls} />
      </div>
      <Button type="submit" isPending={change.isPending} className="sm:mb-[22px]">
        Change username
      </Button>
      <Confirm
        isOpen={isDialogOpen}
        onClose={() => setIsDialogOpen(false)}
        title={`Change the username to ${username}?`}
        action="Change username"
        isPending={change.isPending}
        onConfirm={() => {
          setIsDialogOpen(false);
          change.mutate({ body: { username, old_urls: oldUrls } });
        }}
      >
        <p>
          {oldUrls === 'redirect'
            ? `URLs with ${present} redirect to the new ones with 308. Callers that do not follow redirects, such as many webhooks, need the new URLs.`
            : `URLs with ${present} answer 410. All callers need the new URLs.`}{' '}
          Keys, agents, schedules and links to executions continue. {present} stays reserved for this
          workspace.
        </p>
      </Confirm>
    </form>
  );
}

function FormerUsernames() {
  const { data } = useQuery(read('showUsername'));
  return data?.former.map((one) => <FormerUsername key={one.username} former={one} />);
}

function FormerUsername({ former }: { readonly former: Answer<'showUsername'>['former'][number] }) {
  const { username, old_urls, until } = former;
  const change = useAction('changeOldUrls', {
    changes: ['showUsername'],
    doneMessage: () => `Old URLs of ${username} changed`,
  });
  const other = old_urls === 'redirect' ? 'gone' : 'redirect';
  return (
    <Row
      title={<code>{username}</code>}
      facts={[
        old_urls === 'redirect' ? 'URLs redirect to the new ones' : 'URLs answer 410',
        <>
          until <Time at={until} />
        </>,
      ]}
      actions={
        <Button
          kind="plain"
          isPending={change.isPending}
          onClick={() => change.mutate({ parameters: { username }, body: { old_urls: other } })}
          aria-label={`${LABELS[other]}: URLs of ${username}`}
        >
          {LABELS[other]}
        </Button>
      }
    />
  );
}
