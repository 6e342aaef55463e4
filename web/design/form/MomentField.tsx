import { TextField } from './TextField.tsx';

interface MomentFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A minute in UTC. */
export function MomentField({ label, value, onChange }: MomentFieldProps) {
  const minute = value === undefined ? '' : new Date(value).toISOString().slice(0, 16);
  return (
    <TextField
      label={label}
      value={minute}
      onChange={(text) => onChange(text === '' ? undefined : `${text}:00Z`)}
      input={{ type: 'datetime-local' }}
    />
  );
}
