import type { FormEvent } from 'react';
import { useAccount } from '../account/account.ts';
import { USERNAME_RULE, UsernameField, useUsernameInput } from '../account/UsernameField.tsx';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Page } from '../design/Page.tsx';

/** Chooses the username, which is part of every URL of the workspace and rarely changes later. */
export function Username() {
  const { role } = useAccount();
  const input = useUsernameInput('username');
  const username = input.value;
  const choose = useAction('chooseUsername', {
    changes: ['showWorkspace'],
    isProblemShown: true,
    onDone: input.kept.discard,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    input.check();
    if (input.isFit) choose.mutate({ body: { username } });
  };
  return (
    <Page
      title="Choose a username"
      about="Your username is part of every URL that you publish. If you change it later, you choose whether old URLs redirect or end."
    >
      <form onSubmit={submit} noValidate className="flex max-w-lg flex-col items-start gap-4">
        <div className="w-full">
          <UsernameField
            input={input}
            action={choose}
            label="Username"
            hint={USERNAME_RULE}
            more={{ autoFocus: true, autoComplete: 'username', placeholder: 'ada' }}
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
