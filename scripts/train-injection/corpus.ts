import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Sample } from './sample.ts';

interface Row {
  id: string;
  label: 'attack' | 'benign';
  category: string;
  subcategory?: string;
  hard?: boolean;
  weak_label?: boolean;
  event?: Event;
  session?: Event[];
}

interface Event {
  event_type: string;
  message?: { content: string };
  tool?: { name: string; input: unknown; output?: unknown };
}

/**
 * How each file of the corpus is used. `group` holds what shares its wording and is held out together; `label` overrides
 * the row's, where the file is about something else and its texts are harmless here. `also` uses a row a second time: what a
 * user may ask for is an order that a tool's output has no business to give.
 */
const FILES: Readonly<
  Record<
    string,
    {
      group: string;
      label?: 0;
      weak?: true;
      only?: RegExp;
      session?: true;
      every?: number;
      also?: [Sample['head'], 0 | 1];
    }
  >
> = {
  indirect_injection__injecagent: { group: 'injecagent' },
  indirect_injection__injecagent_clean: { group: 'injecagent_clean' },
  indirect_injection__bipia: { group: 'bipia' },
  indirect_injection__purplellama: { group: 'purplellama' },
  indirect_injection__garak_ctx: { group: 'garak_ctx' },
  prompt_injection__agt_fixture: { group: 'agt' },
  prompt_injection__garak: { group: 'garak_prompts' },
  prompt_injection__giskard: { group: 'jailbreak' },
  prompt_injection__purplellama_contextual: {
    group: 'purplellama',
    weak: true,
    only: /ignore_previous|system_mode|virtualization|mixed/,
  },
  jailbreak__garak: { group: 'jailbreak' },
  user__agentbench: { group: 'user_agentbench' },
  user__bfcl: { group: 'user_bfcl', also: ['output', 1] },
  user__purplellama_frr: { group: 'user_frr' },
  user__self_instruct: { group: 'user_self_instruct', also: ['output', 1] },
  user__sql_eval: { group: 'user_sql_eval' },
  user__toolemu: { group: 'toolemu', also: ['output', 1] },
  session__toolemu: { group: 'toolemu', label: 0, session: true },
  session__bfcl_multiturn: { group: 'user_bfcl', label: 0, session: true },
  secret__gitleaks: { group: 'secrets', label: 0 },
  secret__noseyparker: { group: 'secrets', label: 0 },
  pii__presidio_tests: { group: 'pii', label: 0 },
  unicode__tldr_i18n: { group: 'tldr', also: ['user', 0] },
  shell__tldr: { group: 'tldr', label: 0, every: 10 },
  shell__atomic_red_team: { group: 'shell', label: 0, every: 2 },
  shell__nl2bash: { group: 'shell', label: 0, every: 10 },
  sql__sql_eval: { group: 'shell', label: 0, every: 2 },
  tool_poisoning__bfcl_defs: { group: 'tool_defs', label: 0 },
};

/** The samples that the files in `directory` hold. */
export function corpusSamples(directory: string): Sample[] {
  const samples: Sample[] = [];
  for (const [name, use] of Object.entries(FILES)) {
    const file = join(directory, `${name}.jsonl.gz`);
    if (!existsSync(file)) continue;
    const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n');
    for (const [index, line] of lines.entries()) {
      if (line === '' || (use.every !== undefined && index % use.every !== 0)) continue;
      const row = JSON.parse(line) as Row;
      if (use.only !== undefined && !use.only.test(row.subcategory ?? '')) continue;
      for (const { head, text } of textsOf(row)) {
        samples.push({
          source: name,
          group: use.group,
          template: row.subcategory ?? name,
          head,
          label: use.label ?? (row.label === 'attack' ? 1 : 0),
          text,
          ...(row.hard === true ? { hard: true } : {}),
          ...(use.weak === true || row.weak_label === true ? { weak: true } : {}),
        });
        if (use.also === undefined) continue;
        const [otherHead, label] = use.also;
        const other = { source: `${name} as ${otherHead}`, group: use.group, template: row.subcategory ?? name };
        samples.push({ ...other, head: otherHead, label, text, weak: true });
      }
    }
  }
  return samples;
}

function textsOf(row: Row): { head: Sample['head']; text: string }[] {
  const found: { head: Sample['head']; text: string }[] = [];
  for (const event of row.session ?? (row.event === undefined ? [] : [row.event])) {
    if (event.event_type === 'user_message' && event.message !== undefined) {
      found.push({ head: 'user', text: event.message.content });
    } else if (event.event_type === 'tool_result') {
      for (const text of stringsOf(event.tool?.output)) found.push({ head: 'output', text });
    } else if (event.event_type === 'tool_invocation' && row.session === undefined) {
      // Commands and code are what a tool shows of a file, too.
      for (const text of stringsOf(event.tool?.input)) found.push({ head: 'output', text });
    } else if (event.event_type === 'session_start') {
      for (const text of stringsOf((event as { tools?: unknown }).tools))
        if (text.length > 40) found.push({ head: 'output', text }, { head: 'description', text });
    }
  }
  return found;
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}

const DOCUMENT_CHARS_MAX = 12_000;

/**
 * Documentation and code of installed packages, as what coding agents read all day: harmless, and full of orders to the
 * reader. Two groups of each, so that one may be held out.
 */
export function packageSamples(modules: string): Sample[] {
  const samples: Sample[] = [];
  const seen = new Set<string>();
  const names = readdirSync(modules)
    .filter((name) => !name.startsWith('.'))
    .sort();
  const packages = names.flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(modules, name))
          .sort()
          .map((inner) => join(name, inner))
      : [name],
  );
  for (const [index, name] of packages.entries()) {
    const half = index % 2 === 0 ? 'a' : 'b';
    for (const file of documentsIn(join(modules, name))) {
      const text = readFileSync(file, 'utf8').slice(0, DOCUMENT_CHARS_MAX);
      if (seen.has(text.slice(0, 200))) continue;
      seen.add(text.slice(0, 200));
      const kind = /\.md$/i.test(file) ? 'readme' : file.endsWith('.d.ts') ? 'types' : 'code';
      samples.push({
        source: `${kind}_${half}`,
        group: `${kind}_${half}`,
        template: name,
        head: 'output',
        label: 0,
        text,
      });
    }
  }
  return samples;
}

/** The Markdown files and the first few code and declaration files right inside a package. */
function documentsIn(directory: string): string[] {
  const found: string[] = [];
  let code = 0;
  let types = 0;
  for (const name of readdirSync(directory).sort()) {
    const file = join(directory, name);
    const isDocument = /\.md$/i.test(name);
    const isCode = /(?:[^n]|[^i]n)\.(?:js|cjs|mjs|ts)$/.test(name) && !name.endsWith('.d.ts');
    const isTypes = name.endsWith('.d.ts');
    if (!isDocument && !(isCode && code < 2) && !(isTypes && types < 2)) continue;
    const { size } = statSync(file);
    if (size < 500 || size > 400_000) continue;
    if (isCode) code++;
    if (isTypes) types++;
    found.push(file);
  }
  return found;
}
