import { USERNAME_PATTERN } from '@svc/core/workspace/username';
import { type FormEvent, useState } from 'react';
import { useAccount } from '../account/account.ts';
import { problemWords } from '../api/refusal-words.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Page } from '../design/Page.tsx';

const RULE = '2 to 39 lower-case letters, digits and hyphens, with no hyphen at the ends.';

/** The first thing of all: every URL of the workspace begins with it, and it is chosen once. */
export function Username() {
  const { role } = useAccount();
  const [username, setUsername] = useState('');
  const [isTried, setIsTried] = useState(false);
  const choose = useAction('chooseUsername', { changes: ['showWorkspace'], isProblemShown: true });
  const isWrong = isTried && !USERNAME_PATTERN.test(username);
  const problem = isWrong ? RULE : choose.error ? problemWords(choose.error).title : undefined;
  const send = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (USERNAME_PATTERN.test(username)) choose.mutate({ body: { username } });
  };
  return (
    <Page
      title="Choose a username"
      about="It is in the URL of everything that you publish, and stays as it is."
    >
      <form onSubmit={send} noValidate className="flex max-w-lg flex-col items-start gap-4">
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
          why={role === 'owner' ? undefined : 'Only the owner of the workspace chooses it.'}
        >
          Choose {username === '' ? 'it' : username}
        </Button>
      </form>
    </Page>
  );
}
