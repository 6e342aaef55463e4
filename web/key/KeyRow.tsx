import { useAccount } from '../account/account.ts';
import { useMemberNames } from '../account/use-member-names.ts';
import type { Item } from '../api/read.ts';
import { Button } from '../design/Button.tsx';
import { Row } from '../design/list/Row.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { keyEnd } from './key-end.ts';

interface KeyRowProps {
  readonly apiKey: Item<'listApiKeys'>;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
}

export function KeyRow({ apiKey, onRotate, onRevoke }: KeyRowProps) {
  const nameOf = useMemberNames();
  const { email } = useAccount();
  const { name, last4, endpoints, created_by, created_at, last_used_at, previous } = apiKey;
  const end = keyEnd(apiKey, Date.now());
  return (
    <Row
      title={<Visible text={name} />}
      facts={[
        <code key="last4">svc_sk_…{last4}</code>,
        endpoints === null ? 'all endpoints' : `only ${endpoints.join(', ') || 'none'}`,
        last_used_at === null ? (
          'never used'
        ) : (
          <>
            used <Time at={last_used_at} />
          </>
        ),
        <>
          created <Time at={created_at} /> by {nameOf(created_by)}
        </>,
        previous !== null && (
          <>
            old token …{previous.last4} works until <Time at={previous.works_until} />
          </>
        ),
        end !== undefined && (
          <span className={end.isOver ? 'text-bad' : undefined}>
            {end.word} <Time at={end.at} />
          </span>
        ),
      ]}
      actions={
        end?.isOver !== true && (
          <>
            {nameOf(created_by) === email && (
              <Button kind="plain" onClick={onRotate} aria-label={`Rotate key ${name}`}>
                Rotate
              </Button>
            )}
            <Button kind="plain" className="text-bad" onClick={onRevoke} aria-label={`Revoke key ${name}`}>
              Revoke
            </Button>
          </>
        )
      }
    />
  );
}
