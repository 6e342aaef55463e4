import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { EventChoice } from './EventChoice.tsx';
import { type DraftProblems, type RuleDraft, withEvent } from './rule-draft.ts';

const CHANNELS = [
  { value: 'webhook', label: 'A signed webhook' },
  { value: 'slack', label: 'A chat that takes messages of Slack' },
  { value: 'email', label: 'A mail to a member' },
] as const;

interface RuleFieldsProps {
  readonly draft: RuleDraft;
  readonly onChange: (changed: Partial<RuleDraft>) => void;
  /** Where the rule leads now, shortened; undefined: it is a new one. A rule keeps its channel. */
  readonly target: string | undefined;
  /** Undefined: nobody has asked yet. */
  readonly problems: DraftProblems | undefined;
}

export function RuleFields({ draft, onChange, target, problems }: RuleFieldsProps) {
  const { name, channel, events, endpoint, agent } = draft;
  return (
    <>
      <TextField
        label="Name"
        value={name}
        onChange={(next) => onChange({ name: next })}
        hint="Who hears of it, such as on call."
        problem={problems?.name}
      />
      <EventChoice
        chosen={events}
        onTurn={(event, isOn) => onChange({ events: withEvent(draft, event, isOn) })}
        problem={problems?.events}
      />
      {target === undefined && (
        <Select
          label="It tells"
          options={CHANNELS}
          value={channel}
          onChange={(next) => onChange({ channel: next })}
        />
      )}
      <TextField
        label={channel === 'email' ? 'E-mail of a member' : 'URL'}
        value={draft.target}
        onChange={(next) => onChange({ target: next })}
        isCode
        hint={target === undefined ? 'It is not shown again as a whole.' : `Empty: it stays ${target}.`}
        problem={problems?.target}
        input={{ autoComplete: 'off' }}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Only about this endpoint or pipeline"
          value={endpoint}
          onChange={(next) => onChange({ endpoint: next })}
          isCode
          hint="Empty: about all."
        />
        <TextField
          label="Only about this agent"
          value={agent}
          onChange={(next) => onChange({ agent: next })}
          isCode
          hint="Empty: about all."
        />
      </div>
    </>
  );
}
