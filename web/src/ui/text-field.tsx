import { useId } from 'react';

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What to put there, in a sentence. */
  hint?: string;
  type?: 'text' | 'email' | 'url' | 'number' | 'password';
  isOptional?: boolean;
  isDisabled?: boolean;
  min?: number;
  max?: number;
}

/** One line of text, with its label above it. */
export function TextField({
  label,
  value,
  onChange,
  hint,
  type = 'text',
  isOptional = false,
  isDisabled,
  min,
  max,
}: Props) {
  const id = useId();
  return (
    <div className="form-line">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={value}
        required={!isOptional}
        disabled={isDisabled}
        min={min}
        max={max}
        autoComplete="off"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ target }) => onChange(target.value)}
      />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="muted">
          {hint}
        </p>
      )}
    </div>
  );
}
