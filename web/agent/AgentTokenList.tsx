import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMemberNames } from '../account/use-member-names.ts';
import { type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { Empty } from '../design/list/Empty.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { ShownOnce } from '../design/overlay/ShownOnce.tsx';
import { CodeBlock, Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { ConnectMachine } from './ConnectMachine.tsx';
import { NewTokenDialog } from './NewTokenDialog.tsx';

type Token = Item<'listAgentTokens'>;

export function AgentTokenList() {
  const query = useInfiniteQuery(readPages('listAgentTokens'));
  const [revoked, setRevoked] = useState<Token>();
  return (
    <>
      <QueryList
        query={query}
        what="agent tokens"
        idOf={({ id }) => id}
        row={(token) => <TokenRow token={token} onRevoke={() => setRevoked(token)} />}
        empty={
          <Empty title="No agent tokens yet">
            <p>
              An agent connects with a token. Create one for each machine, so that you can revoke each alone.
            </p>
          </Empty>
        }
      />
      {revoked && <RevokeToken token={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}

/** The buttons that connect an agent, at the head of its page. */
export function AgentActions() {
  const [isConnecting, setIsConnecting] = useState(false);
  const [isCreating, setIsCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  return (
    <>
      <Button kind="primary" onClick={() => setIsConnecting(true)}>
        Connect a machine
      </Button>
      <Button onClick={() => setIsCreating(true)}>Create agent token</Button>
      {isConnecting && <ConnectMachine onClose={() => setIsConnecting(false)} />}
      {isCreating && <NewTokenDialog onClose={() => setIsCreating(false)} onCreated={setCreated} />}
      <ShownOnce token={created} what="agent token" onClose={() => setCreated(undefined)}>
        <p>Start the agent in the folder of its svc.yaml:</p>
        <CodeBlock text={agentCommand(created ?? '', location.origin)} copyLabel="Copy command" />
      </ShownOnce>
    </>
  );
}

interface TokenRowProps {
  readonly token: Token;
  readonly onRevoke: () => void;
}

function TokenRow({ token, onRevoke }: TokenRowProps) {
  const nameOf = useMemberNames();
  const { name, last4, agent_names, pool, created_at, created_by, revoked_at, enrol_until } = token;
  return (
    <Row
      title={<Visible text={name} />}
      facts={[
        enrol_until === null ? (
          <code key="last4">svc_at_…{last4}</code>
        ) : (
          <>
            enrolment until <Time at={enrol_until} />
          </>
        ),
        agent_names.length === 0 ? (
          'not used yet'
        ) : (
          <>
            only for agent <code>{agent_names.join(', ')}</code>
          </>
        ),
        pool && 'pool',
        <>
          created <Time at={created_at} /> by {nameOf(created_by)}
        </>,
        revoked_at !== null && (
          <span className="text-bad">
            revoked <Time at={revoked_at} />
          </span>
        ),
      ]}
      actions={
        revoked_at === null && (
          <Button
            kind="plain"
            className="text-bad"
            onClick={onRevoke}
            aria-label={`Revoke agent token ${name}`}
          >
            Revoke
          </Button>
        )
      }
    />
  );
}

interface RevokeTokenProps {
  readonly token: Token;
  readonly onClose: () => void;
}

function RevokeToken({ token: { id, name }, onClose }: RevokeTokenProps) {
  const revoke = useAction('revokeAgentToken', {
    changes: ['listAgentTokens', 'listAgents'],
    doneMessage: () => `Agent token ${name} revoked`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Revoke agent token ${name}?`}
      action="Revoke token"
      isPending={revoke.isPending}
      onConfirm={() => revoke.mutate({ parameters: { id } })}
    >
      <p>Agents that use this token are disconnected at once and cannot reconnect. You cannot undo this.</p>
    </Confirm>
  );
}

/** The shell command that starts an agent. A token is letters, digits and "_" and needs no quotes (decision 1, tokens). */
function agentCommand(token: string, baseUrl: string): string {
  return `SVC_TOKEN=${token} svc agent --base-url ${baseUrl} --config svc.yaml`;
}
