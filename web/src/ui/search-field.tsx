import { useEffect, useState } from 'react';

const TYPING_MS = 400;

interface Props {
  label: string;
  value: string;
  change: (text: string) => void;
  placeholder?: string;
}

/** Follows what is typed, once the typist pauses. */
export function SearchField({ label, value, change, placeholder }: Props) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => change(text), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <label className="field">
      <span>{label}</span>
      <input
        className="text search"
        type="search"
        value={text}
        maxLength={256}
        placeholder={placeholder}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  );
}
