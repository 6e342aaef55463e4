import { shownAddress } from '@svc/core/text/shown-address';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../account/account.ts';
import { type Answer, type Item, readPages } from '../api/read.ts';
import { useAction } from '../api/use-action.ts';
import { Button } from '../design/Button.tsx';
import { PANEL_LIST } from '../design/classes.ts';
import { Select } from '../design/form/Select.tsx';
import { QueryList } from '../design/list/QueryList.tsx';
import { Row } from '../design/list/Row.tsx';
import { Confirm } from '../design/overlay/Confirm.tsx';
import { Visible } from '../design/text/Code.tsx';
import { Time } from '../design/time/Time.tsx';
import { ROLE_OPTIONS } from './InviteForm.tsx';

type Member = Item<'listMembers'>;

export function Members() {
  const query = useInfiniteQuery(readPages('listMembers'));
  const [removed, setRemoved] = useState<Member>();
  return (
    <>
      <Owner owner={query.data?.pages[0]?.owner} />
      <QueryList
        query={query}
        what="members"
        idOf={({ id }) => id}
        row={(member) => <MemberRow member={member} onRemove={() => setRemoved(member)} />}
        empty={<p className="text-soft">No other members yet. Invite the first one below.</p>}
      />
      {removed && <RemoveMember member={removed} onClose={() => setRemoved(undefined)} />}
    </>
  );
}

/** The owner; a hub of an earlier version does not name them. */
function Owner({ owner }: { readonly owner: Answer<'listMembers'>['owner'] | undefined }) {
  if (owner === undefined) return null;
  return (
    <div className={`px-4 ${PANEL_LIST}`}>
      <Row
        title={<Visible text={shownAddress(owner.email)} />}
        facts={[factorWords(owner.second_factor)]}
        actions={<span className="px-3 text-soft">owner</span>}
      />
    </div>
  );
}

/** Only the owner and admins get the field, and a hub of an earlier version does not send it. */
function factorWords(has: boolean | null | undefined): string | false {
  if (typeof has !== 'boolean') return false;
  return has ? 'second factor' : 'no second factor';
}

interface MemberRowProps {
  readonly member: Member;
  readonly onRemove: () => void;
}

function MemberRow({ member, onRemove }: MemberRowProps) {
  const { id, email, role, joined_at, group, second_factor } = member;
  const mayChange = useMay('member.change_role');
  const mayRemove = useMay('member.remove');
  const change = useAction('changeMember', {
    changes: ['listMembers'],
    doneMessage: (changed) => `${shownAddress(changed.email)} is now ${changed.role}`,
  });
  return (
    <Row
      title={<Visible text={shownAddress(email)} />}
      facts={[
        <>
          joined <Time at={joined_at} />
        </>,
        // A hub of an earlier version does not send it.
        typeof group === 'string' && (group === '*' ? 'by single sign-on' : `by group ${group}`),
        factorWords(second_factor),
      ]}
      actions={
        <>
          <div className="w-38 pl-3">
            <Select
              label={`Role of ${shownAddress(email)}`}
              isLabelHidden
              options={ROLE_OPTIONS}
              value={role}
              why={mayChange.ok ? undefined : mayChange.reason}
              onChange={(next) =>
                next !== role && change.mutate({ parameters: { id }, body: { role: next } })
              }
            />
          </div>
          <Button
            kind="plain"
            className="text-bad"
            onClick={onRemove}
            why={mayRemove.ok ? undefined : mayRemove.reason}
            aria-label={`Remove ${shownAddress(email)}`}
          >
            Remove
          </Button>
        </>
      }
    />
  );
}

interface RemoveMemberProps {
  readonly member: Member;
  readonly onClose: () => void;
}

function RemoveMember({ member: { id, email }, onClose }: RemoveMemberProps) {
  const remove = useAction('removeMember', {
    changes: ['listMembers', 'listApiKeys', 'showUsage'],
    doneMessage: () => `${shownAddress(email)} removed`,
    onDone: onClose,
  });
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={`Remove ${shownAddress(email)}?`}
      action="Remove member"
      isPending={remove.isPending}
      onConfirm={() => remove.mutate({ parameters: { id } })}
    >
      <p>
        Their sessions, access tokens and API keys for this workspace stop working at once, and open streams
        end. To return, they need a new invitation.
      </p>
    </Confirm>
  );
}
