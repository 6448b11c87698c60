import { DIRECT, INDIRECT, SLOTS } from './attacks.ts';
import { BENIGN_OUTPUT, BENIGN_SLOTS, BENIGN_USER, CARRIERS } from './benign.ts';
import { CARRIED, CARRIED_SLOTS } from './carried.ts';
import { markedIn, withoutMarks } from './marks.ts';
import { type Random, randomOf } from './random.ts';
import { LETTER_SLOTS, LETTERS, READER_SLOTS, READERS, TRIGGER_SLOTS, TRIGGERS } from './readers.ts';
import type { Sample } from './sample.ts';

/** Texts of one template: more are too much alike to teach anything. */
const PER_TEMPLATE = 60;

/** Made-up samples, the same for the same seed. */
export function generated(seed: number): Sample[] {
  const random = randomOf(seed);
  const samples: Sample[] = [];
  const slots = { ...BENIGN_SLOTS, ...SLOTS, ...CARRIED_SLOTS, ...READER_SLOTS, ...LETTER_SLOTS, ...TRIGGER_SLOTS };
  const take = (lines: string, source: string, head: Sample['head'], label: Sample['label'], carry: boolean): void => {
    for (const [index, template] of linesOf(lines).entries()) {
      const seen = new Set<string>();
      for (let round = 0; round < PER_TEMPLATE; round++) {
        const said = capitalized(expand(template, slots, random));
        if (seen.has(said)) continue;
        seen.add(said);
        const [before, after] = carry ? random.pick(CARRIERS) : ['', ''];
        const hot = carry ? said : markedIn(said);
        samples.push({
          source,
          group: source,
          template: `${source}:${index}`,
          head,
          label,
          text: before + withoutMarks(said) + after,
          ...(hot === undefined ? {} : { hot }),
        });
      }
    }
  };
  take(DIRECT, 'made_direct', 'user', 1, false);
  take(INDIRECT, 'made_indirect', 'output', 1, true);
  take(CARRIED, 'made_carried', 'output', 1, false);
  take(READERS, 'made_readers', 'output', 0, false);
  take(LETTERS, 'made_letters', 'output', 0, false);
  // A page that carries an attack may be pasted into a message too, where its orders are no more than quoted.
  take(TRIGGERS, 'made_triggers', 'user', 0, false);
  take(BENIGN_USER, 'made_user', 'user', 0, false);
  take(BENIGN_OUTPUT, 'made_output', 'output', 0, false);
  for (const template of linesOf(DIRECT)) {
    for (let round = 0; round < 8; round++) {
      const said = capitalized(expand(template, slots, random));
      const [before, after] = random.pick(CARRIERS);
      samples.push({
        source: 'made_direct',
        group: 'made_direct',
        template,
        head: 'output',
        label: 1,
        text: before + said + after,
        hot: said,
      });
    }
  }
  for (const [before, after] of CARRIERS) {
    if (before === '') continue;
    const said = expand('{person} {verb}ed {thing} {day}', slots, random);
    samples.push({
      source: 'made_output',
      group: 'made_output',
      template: before,
      head: 'output',
      label: 0,
      text: before + said + after,
    });
  }
  return samples;
}

/** Templates: the lines, where one that ends inside a choice goes on in the next. */
function linesOf(lines: string): string[] {
  const found: string[] = [];
  let held = '';
  for (const line of lines.split('\n')) {
    held = held === '' ? line : `${held}\n${line}`;
    if (depthOf(held) > 0) continue;
    if (held.trim() !== '') found.push(held);
    held = '';
  }
  if (held.trim() !== '') found.push(held);
  return found;
}

function depthOf(text: string): number {
  let depth = 0;
  for (const char of text) depth += char === '[' ? 1 : char === ']' ? -1 : 0;
  return depth;
}

/** `template` with each choice made and each slot filled. */
function expand(template: string, slots: Readonly<Record<string, string>>, random: Random): string {
  let out = '';
  let at = 0;
  while (at < template.length) {
    const char = template[at] as string;
    if (char === '[') {
      const end = closing(template, at);
      const options = optionsOf(template.slice(at + 1, end));
      out +=
        options.length > 1
          ? expand(random.pick(options), slots, random)
          : `[${expand(template.slice(at + 1, end), slots, random)}]`;
      at = end + 1;
    } else if (char === '{') {
      const end = template.indexOf('}', at);
      const slot = end < 0 ? undefined : slots[template.slice(at + 1, end)];
      out += slot === undefined ? char : expand(slot, slots, random);
      at = slot === undefined ? at + 1 : end + 1;
    } else {
      out += char === '⏎' ? '\n' : char;
      at++;
    }
  }
  return out;
}

/** Where the bracket that opens at `at` closes; the end where it never does. */
function closing(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; index++) {
    if (text[index] === '[') depth++;
    else if (text[index] === ']' && --depth === 0) return index;
  }
  return text.length;
}

function optionsOf(text: string): string[] {
  const options: string[] = [];
  let depth = 0;
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '[') depth++;
    else if (text[index] === ']') depth--;
    else if (text[index] === '|' && depth === 0 && !isMark(text, index)) {
      options.push(text.slice(from, index));
      from = index + 1;
    }
  }
  options.push(text.slice(from));
  return options;
}

/** The bars of `<|im_start|>` part no options. */
function isMark(text: string, at: number): boolean {
  return (
    text[at - 1] === '<' ||
    (text[at + 1] === '>' &&
      text[at - 1] !== undefined &&
      /[a-z_]/.test(text[at - 1] as string) &&
      text.lastIndexOf('<|', at) > text.lastIndexOf('|>', at - 1))
  );
}

function capitalized(text: string): string {
  const at = text.search(/\S/);
  return at < 0 ? text : text.slice(at, at + 1).toUpperCase() + text.slice(at + 1);
}
