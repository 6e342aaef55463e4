import type { StepNode } from '@svc/core/pipeline/definition/pipeline';
import { Select } from '../../design/form/Select.tsx';
import { TextField } from '../../design/form/TextField.tsx';
import type { StepChange } from '../graph/changes.ts';

const WAYS = [
  { value: 'stop', label: 'Stop run' },
  { value: 'continue', label: 'Continue run' },
] as const;
const FIRST_BACKOFF_SEC = 10;

interface StepFailureProps {
  readonly step: StepNode;
  readonly onChange: (changed: StepChange) => void;
}

export function StepFailure({ step: { onFailure, retry }, onChange }: StepFailureProps) {
  const backoffSec = retry?.backoffSec ?? FIRST_BACKOFF_SEC;
  return (
    <div className="grid grid-cols-2 gap-3">
      <div className="col-span-2">
        <Select
          label="On failure"
          options={WAYS}
          value={onFailure}
          onChange={(way) => onChange({ onFailure: way })}
        />
      </div>
      <TextField
        label="Retries"
        value={retry === undefined ? '' : String(retry.limit)}
        onChange={(text) =>
          onChange({
            retry: text === '' ? undefined : { limit: Number(text), backoffSec },
          })
        }
        input={{ type: 'number', min: 1, max: 10, placeholder: '0' }}
      />
      {retry !== undefined && (
        <TextField
          label="First retry after (s)"
          value={String(backoffSec)}
          onChange={(text) => onChange({ retry: { ...retry, backoffSec: Number(text) } })}
          input={{ type: 'number', min: 0, max: 3_600 }}
        />
      )}
    </div>
  );
}
