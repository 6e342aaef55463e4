import { useQuery } from '@tanstack/react-query';
import { useMay } from '../account/account.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { CodeBlock } from '../design/text/Code.tsx';

/** A token, the exact command to start an agent with it, and the agent as it connects. */
export function AgentStep({ isDone }: { readonly isDone: boolean }) {
  const { data } = useQuery(read('listAgents', { query: { limit: 30 } }));
  const allowed = useMay('agent.manage');
  const create = useAction('makeAgentToken', { changes: ['listAgentTokens'] });
  if (isDone) {
    return (
      <ul className="flex flex-wrap gap-x-6 gap-y-1">
        {data?.items.map(({ name, id, status, endpoints, host }) => (
          <li key={id} className="flex items-center gap-2">
            <StateMark state={status} />
            <span>
              <code>{name}</code> on {host.hostname},{' '}
              {endpoints.length === 1 ? '1 endpoint' : `${endpoints.length} endpoints`}
            </span>
          </li>
        ))}
      </ul>
    );
  }
  if (create.data === undefined) {
    return (
      <>
        <p className="max-w-prose text-soft">
          The agent is a process on your machine. It dials out to this hub, tells what is in its{' '}
          <code>svc.yaml</code>, and runs it when it is called. It needs a token.
        </p>
        <div>
          <Button
            kind="primary"
            why={allowed.ok ? undefined : allowed.reason}
            isPending={create.isPending}
            onClick={() => create.mutate({ body: { name: 'first agent' } })}
          >
            Make an agent token
          </Button>
        </div>
      </>
    );
  }
  return <StartCommand token={create.data.token} onAgain={() => create.reset()} />;
}

interface StartCommandProps {
  readonly token: string;
  readonly onAgain: () => void;
}

function StartCommand({ token, onAgain }: StartCommandProps) {
  const start = `SVC_TOKEN=${token} svc agent --base-url ${location.origin}`;
  return (
    <>
      <p className="max-w-prose">
        On the machine where commands are to run, in a folder of your choice. The token is shown only here,
        only now.
      </p>
      <CodeBlock text={`svc init\n${start}`} copyLabel="Copy the commands" />
      <p className="max-w-prose text-sm text-soft">
        <code>svc init</code> writes a <code>svc.yaml</code> with a few commands to try; leave it out where
        you have one.
      </p>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <span role="status" className="flex items-center gap-2 text-running">
          <Mark shape="bar" />
          Waits for the agent to connect…
        </span>
        <Button kind="plain" onClick={onAgain}>
          Make another token
        </Button>
      </div>
    </>
  );
}
