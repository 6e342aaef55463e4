import { USERNAME_PATTERN } from '@svc/core/workspace/username';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { problemWords } from '../api/refusal-words.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Page } from '../design/Page.tsx';

const RULE = 'Use 2 to 39 lower-case letters, digits or hyphens, with no hyphen at either end.';

/** Chooses the username, which is part of every URL of the workspace and rarely changes later. */
export function Username() {
  const { role } = useAccount();
  const [username, setUsername] = useState('');
  const [wasSubmitted, setWasSubmitted] = useState(false);
  const choose = useAction('chooseUsername', { changes: ['showWorkspace'], isProblemShown: true });
  const isWrong = wasSubmitted && !USERNAME_PATTERN.test(username);
  const problem = isWrong ? RULE : choose.error ? problemWords(choose.error).title : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setWasSubmitted(true);
    if (USERNAME_PATTERN.test(username)) choose.mutate({ body: { username } });
  };
  return (
    <Page
      title="Choose a username"
      about="Your username is part of every URL that you publish. If you change it later, you choose whether old URLs redirect or end."
    >
      <form onSubmit={submit} noValidate className="flex max-w-lg flex-col items-start gap-4">
        <div className="w-full">
          <TextField
            label="Username"
            value={username}
            onChange={(text) => {
              choose.reset();
              setUsername(text.trim().toLowerCase());
            }}
            hint={RULE}
            problem={problem}
            isCode
            input={{ autoFocus: true, autoComplete: 'username', maxLength: 39, placeholder: 'ada' }}
          />
        </div>
        <p className="text-soft">
          Your URLs:{' '}
          <code className="wrap-anywhere text-ink">
            {location.origin}/v1/{username === '' ? 'ada' : username}/deploy
          </code>
        </p>
        <Button
          kind="primary"
          type="submit"
          isPending={choose.isPending}
          why={role === 'owner' ? undefined : 'Only the owner can choose the username.'}
        >
          Choose {username === '' ? 'username' : username}
        </Button>
      </form>
    </Page>
  );
}
