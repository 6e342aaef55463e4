import { ALERT_EVENTS, type AlertEventName } from '@svc/core/alert/event';
import { Checkbox } from '../design/form/Checkbox.tsx';
import { EVENT_WORDS } from './rule-words.ts';

interface EventChoiceProps {
  readonly chosen: ReadonlySet<AlertEventName>;
  readonly onToggle: (event: AlertEventName, isOn: boolean) => void;
  readonly problem: string | undefined;
}

export function EventChoice({ chosen, onToggle, problem }: EventChoiceProps) {
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
