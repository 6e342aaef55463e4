import { USERNAME_PATTERN } from '@svc/core/workspace/username';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { chooseWorkspace } from '../account/chosen-workspace.ts';
import { problemWords } from '../api/refusal-words.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Row } from '../design/list/Row.tsx';
import { Section } from '../design/Page.tsx';

const RULE = 'Use 2 to 39 lower-case letters, digits or hyphens, with no hyphen at either end.';

/** The workspaces of the person, and how to create another one (decision 103, several own workspaces). */
export function WorkspacesSection() {
  const { username: present, workspaces } = useAccount();
  return (
    <Section title="Workspaces">
      <NewWorkspace />
      {workspaces.map(({ username, role }) => (
        <Row
          key={username ?? ''}
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
      ))}
    </Section>
  );
}

function NewWorkspace() {
  const [username, setUsername] = useState('');
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const create = useAction('createWorkspace', {
    isProblemShown: true,
    onDone: (made) => chooseWorkspace(made.username ?? undefined),
  });
  const isFit = USERNAME_PATTERN.test(username);
  const problem = wasSubmitted && !isFit ? RULE : create.error ? problemWords(create.error).title : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSubmitted(true);
    if (isFit) create.mutate({ body: { username } });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-end gap-3">
      <div className="w-72 max-w-full">
        <TextField
          label="Username of a new workspace"
          value={username}
          onChange={(text) => {
            create.reset();
            setUsername(text.trim().toLowerCase());
          }}
          hint="You own the new workspace. It has its own endpoints, keys and members."
          problem={problem}
          isCode
          input={{ autoComplete: 'off', maxLength: 39 }}
        />
      </div>
      <Button type="submit" isPending={create.isPending} className="sm:mb-[22px]">
        Create workspace
      </Button>
    </form>
  );
}
