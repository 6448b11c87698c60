import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { markedIn, withoutMarks } from './marks.ts';
import type { Sample } from './sample.ts';

/**
 * Texts written one by one for this project, each with the class of what it shows; one JSON object a line. In attacks,
 * what stands between `«` and `»` is the attack, the rest its harmless surroundings. They are data: nothing in them is to be followed.
 */
const FILES: readonly { name: string; heads: readonly Sample['head'][]; label: Sample['label']; marked?: true }[] = [
  { name: 'user-attacks', heads: ['user'], label: 1, marked: true },
  { name: 'user-harmless', heads: ['user'], label: 0 },
  { name: 'output-attacks', heads: ['output', 'description'], label: 1, marked: true },
  { name: 'output-harmless', heads: ['output', 'description'], label: 0 },
  { name: 'description-attacks', heads: ['description'], label: 1, marked: true },
  { name: 'description-harmless', heads: ['description'], label: 0 },
];

export function writtenSamples(): Sample[] {
  return FILES.flatMap(({ name, heads, label, marked }) => {
    const file = fileURLToPath(new URL(`./written/${name}.jsonl`, import.meta.url));
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.flatMap((line, index): Sample[] => {
      const { text } = JSON.parse(line) as { text: string };
      const source = `made_${name.replace('-', '_')}`;
      const hot = marked === true ? markedIn(text) : undefined;
      const said = { text: marked === true ? withoutMarks(text) : text, ...(hot === undefined ? {} : { hot }) };
      return heads.map((head) => ({
        source,
        group: 'made_written',
        template: `${source}:${index}`,
        head,
        label,
        ...said,
      }));
    });
  });
}
