interface Props {
  legend: string;
  all: readonly { value: string; label: string }[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}

/** Some of several things. */
export function CheckList({ legend, all, chosen, onChange }: Props) {
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]);
  return (
    <fieldset>
      <legend>{legend}</legend>
      {all.map(({ value, label }) => (
        <label key={value}>
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} /> {label}
        </label>
      ))}
    </fieldset>
  );
}
