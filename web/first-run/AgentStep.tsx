import { useQuery } from '@tanstack/react-query';
import { useMay } from '../account/account.ts';
import { read } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Mark } from '../design/state/Mark.tsx';
import { StateMark } from '../design/state/StateMark.tsx';
import { CodeBlock } from '../design/text/Code.tsx';

/** A token, the command that starts an agent with it, and the agent once it connects. */
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
          An agent is a process on your machine. It connects to this hub with a token, registers the endpoints
          in its <code>svc.yaml</code> and runs their commands.
        </p>
        <div>
          <Button
            kind="primary"
            why={allowed.ok ? undefined : allowed.reason}
            isPending={create.isPending}
            onClick={() => create.mutate({ body: { name: 'first agent' } })}
          >
            Create agent token
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
        Run this on the machine that will run your commands. You can't view the token again.
      </p>
      <CodeBlock text={`svc init\n${start}`} copyLabel="Copy commands" />
      <p className="max-w-prose text-sm text-soft">
        <code>svc init</code> creates a <code>svc.yaml</code> with sample commands. Skip it if you already
        have one.
      </p>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <span role="status" className="flex items-center gap-2 text-running">
          <Mark shape="bar" />
          Waiting for the agent to connect…
        </span>
        <Button kind="plain" onClick={onAgain}>
          Create another token
        </Button>
      </div>
    </>
  );
}
