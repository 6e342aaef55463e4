import { Select } from '../design/form/Select.tsx';
import { chooseTheme, useTheme } from '../design/theme.ts';

const OPTIONS = [
  { value: 'system', label: 'System' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
] as const;

export function Appearance() {
  return (
    <div className="w-48">
      <Select label="Theme in this browser" options={OPTIONS} value={useTheme()} onChange={chooseTheme} />
    </div>
  );
}
