import type { FormEvent } from 'react';
import { useAccount } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { UsernameField, useUsernameInput } from '../account/UsernameField.tsx';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { PANEL_LIST } from '../design/classes.ts';
import { DraftNotice } from '../design/form/DraftNotice.tsx';
import { forgetDraft } from '../design/form/use-kept-draft.ts';
import { Row } from '../design/list/Row.tsx';
import { Section } from '../design/Page.tsx';

/** The workspaces of the person, and how to create another one (decision 103, several own workspaces). */
export function WorkspacesSection() {
  const { username: present, workspaces } = useAccount();
  return (
    <Section title="Workspaces">
      <NewWorkspace />
      <div className={PANEL_LIST}>
        {workspaces.map(({ username, role }) => (
          <div key={username ?? ''} className="px-4">
            <Row
              title={username ?? 'Personal'}
              facts={[`you are ${role}`, username === present ? 'current' : undefined]}
              actions={
                username !== present && (
                  <Button
                    kind="plain"
                    onClick={() => chooseWorkspace(username ?? undefined)}
                    aria-label={`Open ${username ?? 'Personal'}`}
                  >
                    Open
                  </Button>
                )
              }
            />
          </div>
        ))}
      </div>
    </Section>
  );
}

/** The name of its draft. */
const DRAFT = 'new-workspace';

function NewWorkspace() {
  const input = useUsernameInput(DRAFT);
  const create = useAction('createWorkspace', {
    isProblemShown: true,
    onDone(made) {
      forgetDraft(DRAFT);
      chooseWorkspace(made.username ?? undefined);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    input.check();
    if (input.isFit) create.mutate({ body: { username: input.value } });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
      <DraftNotice kept={input.kept} />
      <div className="w-72 max-w-full">
        <UsernameField
          input={input}
          action={create}
          label="Username of a new workspace"
          hint="It has its own endpoints, keys and members."
        />
      </div>
      <Button type="submit" isPending={create.isPending} className="sm:mb-[22px]">
        Create workspace
      </Button>
    </form>
  );
}
