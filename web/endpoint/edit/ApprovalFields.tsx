import { PERMISSIONS } from '@svc/core/workspace/permissions';
import { useMemberEmails } from '../../account/use-member-names.ts';
import { PickMany } from '../../design/form/PickMany.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import { Toggle } from '../../design/form/Toggle.tsx';
import { Section } from '../../design/Page.tsx';
import type { FieldScope } from './field-scope.ts';

/** Whether calls need approval, and by whom. */
export function ApprovalFields({ scope }: { readonly scope: FieldScope }) {
  const { draft } = scope;
  const members = useMemberEmails();
  return (
    <Section title="Approval">
      <Toggle
        label="Require approval"
        isOn={draft.approval_required}
        onChange={(isOn) => scope.set('approval_required', isOn)}
      />
      {draft.approval_required && (
        <>
          <div className="grid gap-3 sm:grid-cols-2">
            <PickMany
              label="Approvers"
              values={draft.approvers.split(/[\s,]+/).filter((one) => one !== '')}
              onChange={(approvers) => scope.set('approvers', approvers.join(', '))}
              names={[...PERMISSIONS['endpoint.execute'], ...members]}
              problem={scope.problem('approvers')}
              hint="Roles or email addresses. Leave empty for everyone who can run the endpoint or has the link."
            />
            <TextField
              label="Approval timeout (minutes)"
              value={draft.approval_timeout_mins}
              onChange={(minutes) => scope.set('approval_timeout_mins', minutes)}
              problem={scope.problem('approval_timeout_mins')}
              hint="Default: 30"
              input={{ inputMode: 'numeric' }}
            />
          </div>
          <Toggle
            label="Allow callers to approve their own calls"
            isOn={draft.allow_self}
            onChange={(isOn) => scope.set('allow_self', isOn)}
          />
          <Toggle
            label="Approvers confirm with a passkey"
            isOn={draft.approval === 'passkey'}
            onChange={(isOn) => scope.set('approval', isOn ? 'passkey' : undefined)}
          />
        </>
      )}
    </Section>
  );
}
