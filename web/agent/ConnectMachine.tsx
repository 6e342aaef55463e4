import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { type Answer, type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { Problem } from '../design/list/Problem.tsx';
import { Dialog } from '../design/overlay/Dialog.tsx';
import { DialogActions } from '../design/overlay/DialogActions.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';

/** One line to paste on another machine, and the machine once it connects (decision 80, enrolment). */
export function ConnectMachine({ onClose }: { readonly onClose: () => void }) {
  const [name, setName] = useState('');
  const [isChecked, setIsChecked] = useState(false);
  const create = useAction('makeAgentToken', { changes: ['listAgentTokens'], isProblemShown: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsChecked(true);
    if (name.trim() !== '') create.mutate({ body: { name: name.trim(), enrolment: true } });
  };
  if (create.data !== undefined) return <ConnectLine made={create.data} onClose={onClose} />;
  return (
    <Dialog isOpen onClose={onClose} title="Connect a machine">
      <form onSubmit={submit} className="flex flex-col gap-3" noValidate>
        <p className="max-w-prose text-soft">
          You get one command for the shell of a Linux machine with systemd. It installs the agent as a
          service.
        </p>
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          hint="For example: build server."
          problem={isChecked && name.trim() === '' ? 'Enter a name.' : undefined}
          input={{ autoFocus: true }}
        />
        {create.error && <Problem error={create.error} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isPending={create.isPending}>
            Create install command
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

interface ConnectLineProps {
  readonly made: Answer<'makeAgentToken'>;
  readonly onClose: () => void;
}

function ConnectLine({ made, onClose }: ConnectLineProps) {
  const agent = useAgentOf(made.id);
  return (
    // The command is of no more use once the machine is connected.
    <Dialog isOpen onClose={onClose} title="Connect a machine" isWide isKept={agent === undefined}>
      <div className="flex flex-col gap-3">
        <p>Run this command on the machine:</p>
        <CodeBlock text={made.connect_command ?? made.token} copyLabel="Copy install command" />
        <p className="max-w-prose text-sm text-soft">
          {made.enrol_until !== null && (
            <>
              It works once, until <Time at={made.enrol_until} />, so the history of the shell keeps nothing
              of use.
            </>
          )}
        </p>
        <div role="status">{agent === undefined ? <Waiting /> : <Connected agent={agent} />}</div>
      </div>
      <div className="mt-4 flex justify-end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

/** The agent that uses the token; the hub says when it connects. */
function useAgentOf(tokenId: string): Item<'listAgents'> | undefined {
  const tokens = useInfiniteQuery(readPages('listAgentTokens'));
  const agents = useInfiniteQuery(readPages('listAgents'));
  const token = tokens.data?.pages.flatMap(({ items }) => items).find(({ id }) => id === tokenId);
  return agents.data?.pages
    .flatMap(({ items }) => items)
    .find(({ name, status }) => status === 'online' && token?.agent_names.includes(name));
}

function Waiting() {
  return (
    <span className="flex items-center gap-2 text-running">
      <Mark shape="bar" />
      Waiting for the machine to connect…
    </span>
  );
}

function Connected({ agent: { name, status, host, endpoints } }: { readonly agent: Item<'listAgents'> }) {
  const [first] = endpoints;
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StateMark state={status} />
      <span>
        <code>{name}</code> on <Visible text={host.hostname} />
      </span>
      {first !== undefined && (
        <Link to="/endpoints/$name" params={{ name: first }} className="text-accent underline">
          Run {first}
        </Link>
      )}
    </span>
  );
}
