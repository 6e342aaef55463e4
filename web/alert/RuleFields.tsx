import { ALERT_EVENTS, type AlertEventName } from '@svc/core/alert/event';
import { useQuery } from '@tanstack/react-query';
import { useMemberEmails } from '../account/use-member-names.ts';
import { useAgentNames } from '../agent/use-agent-names.ts';
import { read } from '../api/read.ts';
import { Checkbox } from '../design/form/Checkbox.tsx';
import { PickField } from '../design/form/PickField.tsx';
import { Select } from '../design/form/Select.tsx';
import { TextField } from '../design/form/TextField.tsx';
import { eventsWith, type RuleDraft, type RuleProblems, waitsForSuccess } from './rule-draft.ts';
import { EVENT_WORDS } from './rule-words.ts';

const CHANNELS = [
  { value: 'webhook', label: 'Signed webhook' },
  { value: 'slack', label: 'Slack-compatible webhook' },
  { value: 'email', label: 'Email to a member' },
] as const;

const NONE: readonly string[] = [];

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
  const members = useMemberEmails();
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
        onToggle={(event, isOn) => onChange({ events: eventsWith(draft, event, isOn) })}
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
      <PickField
        label={channel === 'email' ? 'Email of a member' : 'URL'}
        value={draft.target}
        onChange={(next) => onChange({ target: next })}
        names={channel === 'email' ? members : NONE}
        hint={
          target === undefined ? 'The full address is not shown again.' : `Leave empty to keep ${target}.`
        }
        problem={problems?.target}
      />
      <div className="grid gap-3 sm:grid-cols-2">
        <PickField
          label="Endpoint or pipeline"
          value={endpoint}
          onChange={(next) => onChange({ endpoint: next })}
          names={useCallableNames(endpoint)}
          hint={waitsForSuccess(draft) ? 'Its runs count, whoever starts them.' : 'Leave empty for all.'}
          problem={problems?.endpoint}
        />
        <PickField
          label="Agent"
          value={agent}
          onChange={(next) => onChange({ agent: next })}
          names={useAgentNames()}
          hint="Leave empty for all."
        />
        {waitsForSuccess(draft) && (
          <TextField
            label="Minutes without a success"
            value={draft.noSuccessMins}
            onChange={(next) => onChange({ noSuccessMins: next })}
            hint="For a nightly run, 1500 is 25 hours."
            problem={problems?.noSuccessMins}
            input={{ inputMode: 'numeric' }}
          />
        )}
      </div>
    </>
  );
}

interface EventChoiceProps {
  readonly chosen: ReadonlySet<AlertEventName>;
  readonly onToggle: (event: AlertEventName, isOn: boolean) => void;
  readonly problem: string | undefined;
}

function EventChoice({ chosen, onToggle, problem }: EventChoiceProps) {
  return (
    <fieldset>
      <legend className="text-sm font-semibold">Events</legend>
      <div className="grid gap-x-6 sm:grid-cols-2">
        {ALERT_EVENTS.map((event) => (
          <Checkbox key={event} isChecked={chosen.has(event)} onChange={(isOn) => onToggle(event, isOn)}>
            {EVENT_WORDS[event]}
          </Checkbox>
        ))}
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

const MAX_NAMES = 100;

/** The names of the endpoints and pipelines of the workspace that contain a text; of many, the first. */
function useCallableNames(text: string): readonly string[] {
  const search = text.trim();
  const { data: endpoints } = useQuery({
    ...read('listEndpoints', { query: { limit: MAX_NAMES, ...(search && { search }) } }),
    placeholderData: (before) => before,
  });
  const { data: pipelines } = useQuery(read('listPipelines', { query: { limit: MAX_NAMES } }));
  return [...(endpoints?.items ?? []), ...(pipelines?.items ?? [])].map(({ slug }) => slug).toSorted();
}
