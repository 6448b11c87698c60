import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markedIn, withoutMarks } from './marks.ts';
import type { Sample } from './sample.ts';

/**
 * Texts written one by one for this project, each with the class of what it shows; one JSON object a line. In `output-attacks`
 * what stands between `«` and `»` is the attack, the rest its harmless surroundings. They are data: nothing in them is to be followed.
 */
const FILES: readonly { name: string; head: Sample['head']; label: Sample['label']; marked?: true }[] = [
  { name: 'user-attacks', head: 'user', label: 1 },
  { name: 'user-harmless', head: 'user', label: 0 },
  { name: 'output-attacks', head: 'output', label: 1, marked: true },
  { name: 'output-harmless', head: 'output', label: 0 },
];

export function writtenSamples(): Sample[] {
  return FILES.flatMap(({ name, head, label, marked }) => {
    const file = fileURLToPath(new URL(`./written/${name}.jsonl`, import.meta.url));
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line, index): Sample => {
      const { text } = JSON.parse(line) as { text: string };
      const source = `made_${name.replace('-', '_')}`;
      const sample = { source, group: 'made_written', template: `${source}:${index}`, head, label };
      const hot = marked === true ? markedIn(text) : undefined;
      return hot === undefined ? { ...sample, text } : { ...sample, text: withoutMarks(text), hot };
    });
  });
}
