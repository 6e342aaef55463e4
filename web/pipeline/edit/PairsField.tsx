import { useState } from 'react';
import { Button } from '../../design/Button.tsx';
import { TextField } from '../../design/form/TextField.tsx';

type Pairs = Readonly<Record<string, string>>;

interface PairsFieldProps {
  readonly label: string;
  readonly pairs: Pairs;
  readonly onChange: (pairs: Pairs) => void;
  readonly problemOf: (name: string) => string | undefined;
}

/** Name and value pairs, such as environment variables. */
export function PairsField({ label, pairs, onChange, problemOf }: PairsFieldProps) {
  const [name, setName] = useState('');
  const add = () => {
    if (name.trim() !== '' && !Object.hasOwn(pairs, name.trim())) onChange({ ...pairs, [name.trim()]: '' });
    setName('');
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="text-sm font-semibold">{label}</legend>
      {Object.entries(pairs).map(([one, value]) => (
        <div key={one} className="flex items-end gap-1">
          <div className="min-w-0 grow">
            <TextField
              label={one}
              value={value}
              onChange={(next) => onChange({ ...pairs, [one]: next })}
              isCode
              problem={problemOf(one)}
            />
          </div>
          <Button
            kind="plain"
            className="text-bad"
            aria-label={`Remove ${one}`}
            onClick={() => onChange(Object.fromEntries(Object.entries(pairs).filter(([key]) => key !== one)))}
          >
            Remove
          </Button>
        </div>
      ))}
      <div className="flex items-end gap-1">
        <div className="min-w-0 grow">
          <TextField
            label={`New name in ${label.toLowerCase()}`}
            isLabelHidden
            value={name}
            onChange={setName}
            isCode
            input={{
              placeholder: 'NAME',
              onKeyDown: (event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                add();
              },
            }}
          />
        </div>
        <Button onClick={add}>Add</Button>
      </div>
    </fieldset>
  );
}
