import { useId } from 'react';

interface PickOneProps<Value extends string> {
  readonly label: string;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A segmented control: one of a few options that are all visible. */
export function PickOne<Value extends string>({ label, options, value, onChange }: PickOneProps<Value>) {
  const name = useId();
  return (
    <fieldset className="inline-flex min-w-0 flex-wrap rounded border border-edge bg-raised">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="flex min-h-8 cursor-pointer items-center rounded px-3 text-soft has-checked:bg-accent-wash has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
        >
          <input
            type="radio"
            name={name}
            className="sr-only"
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}
