import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { EventChoice } from './EventChoice.tsx';
import { type RuleDraft, type RuleProblems, withEvent } from './rule-draft.ts';

const CHANNELS = [
  { value: 'webhook', label: 'Signed webhook' },
  { value: 'slack', label: 'Slack-compatible webhook' },
  { value: 'email', label: 'Email to a member' },
] as const;

interface RuleFieldsProps {
  readonly draft: RuleDraft;
  readonly onChange: (changed: Partial<RuleDraft>) => void;
  /** The shortened target of the saved rule; undefined: the rule is new. A rule keeps its channel. */
  readonly target: string | undefined;
  /** Undefined before the form is first submitted. */
  readonly problems: RuleProblems | undefined;
}

export function RuleFields({ draft, onChange, target, problems }: RuleFieldsProps) {
  const { name, channel, events, endpoint, agent } = draft;
  return (
    <>
      <TextField
        label="Name"
        value={name}
        onChange={(next) => onChange({ name: next })}
        hint="For example: on call."
        problem={problems?.name}
      />
      <EventChoice
        chosen={events}
        onToggle={(event, isOn) => onChange({ events: withEvent(draft, event, isOn) })}
        problem={problems?.events}
      />
      {target === undefined && (
        <Select
          label="Send to"
          options={CHANNELS}
          value={channel}
          onChange={(next) => onChange({ channel: next })}
        />
      )}
      <TextField
        label={channel === 'email' ? 'Email of a member' : 'URL'}
        value={draft.target}
        onChange={(next) => onChange({ target: next })}
        isCode
        hint={
          target === undefined ? 'The full address is not shown again.' : `Leave empty to keep ${target}.`
        }
        problem={problems?.target}
        input={{ autoComplete: 'off' }}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Endpoint or pipeline"
          value={endpoint}
          onChange={(next) => onChange({ endpoint: next })}
          isCode
          hint="Leave empty for all."
        />
        <TextField
          label="Agent"
          value={agent}
          onChange={(next) => onChange({ agent: next })}
          isCode
          hint="Leave empty for all."
        />
      </div>
    </>
  );
}
