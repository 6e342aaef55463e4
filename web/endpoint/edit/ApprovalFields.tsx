import { TextField } from '../../design/form/TextField.tsx';
import { Toggle } from '../../design/form/Toggle.tsx';
import { Section } from '../../design/Page.tsx';
import type { FieldScope } from './field-scope.ts';

/** Whether a person must say yes before anything runs, and who. */
export function ApprovalFields({ scope }: { readonly scope: FieldScope }) {
  const { draft } = scope;
  return (
    <Section title="Approval">
      <Toggle
        label="A person must approve each execution first"
        isOn={draft.approval_required}
        onChange={(isOn) => scope.set('approval_required', isOn)}
      />
      {draft.approval_required && (
        <>
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField
              label="Who may decide"
              value={draft.approvers}
              onChange={(approvers) => scope.set('approvers', approvers)}
              problem={scope.problem('approvers')}
              hint="owner, admin, member or e-mail addresses; empty: whoever may run it, and whoever has the link."
            />
            <TextField
              label="Time to decide"
              value={draft.approval_timeout_mins}
              onChange={(minutes) => scope.set('approval_timeout_mins', minutes)}
              problem={scope.problem('approval_timeout_mins')}
              hint="Minutes; empty: 30."
              input={{ inputMode: 'numeric' }}
            />
          </div>
          <Toggle
            label="The person who called may decide, too"
            isOn={draft.allow_self}
            onChange={(isOn) => scope.set('allow_self', isOn)}
          />
        </>
      )}
    </Section>
  );
}
