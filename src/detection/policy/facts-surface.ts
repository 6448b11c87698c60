import { SEVERITIES } from '../../domain/decision.ts';
import { EVENT_TYPES } from '../../domain/event-types.ts';
import { CODE_ACTIONS } from '../facts/code-catalogue.ts';
import { FILE_OPERATIONS } from '../facts/files/touched.ts';
import { HOST_DISGUISES } from '../facts/hosts.ts';
import { HOST_CLASSES } from '../facts/ip.ts';
import { PATH_ANCHORS, PATH_DISGUISES } from '../facts/paths.ts';
import { SHELL_DIALECTS } from '../facts/shell/model.ts';
import { TOOL_BASES, TOOL_EFFECTS, TOOL_KINDS } from '../facts/tools.ts';
import { FLOW_ENCODINGS } from '../flow/encodings.ts';
import { ENCODINGS, TEXT_SOURCES } from '../texts/text.ts';
import {
  content,
  contentDecimal,
  contents,
  count,
  decimal,
  type Field,
  flag,
  object,
  objects,
  text,
  texts,
  type ValueOf,
} from './cel/types.ts';

/*
 * What conditions may use, and the one source of it: the type `PolicyInput`, the checks of expressions and the list in
 * docs/POLICIES.md follow from it. Every fact is always there; what an event does not have is "", 0, false or [].
 */

const flowMatch = {
  label: text(
    'Label under which the value is remembered: `secret`, `pii`, or one of a policy. A value that has several is matched under each.',
  ),
  coverage: decimal('How much of the remembered value is in this event, 0 to 1.'),
  encoding: text(
    `How it is written here: ${FLOW_ENCODINGS.map((name) => `\`${name}\``).join(', ')} (URL and HTML escapes are read as plain; \`decoded\` is anything else that was unpacked, \`file\` a file that holds it).`,
    FLOW_ENCODINGS,
  ),
  originEvent: text('The event in which it was first seen.'),
  originTool: text('The tool in whose result it was first seen; empty where a person or the agent wrote it first.'),
};

/** The facts of one event, as conditions see them. */
export const FACTS = {
  event: object('The event itself.', {
    type: text(
      '`tool_invocation`, `user_message`, `tool_result`, `agent_message`, `session_start` or `session_end`.',
      EVENT_TYPES,
    ),
    sessionId: text('Session identifier, as the sensor sent it.'),
    timestamp: text('When the sensor says that it happened (RFC 3339). The sensor may lie; `timeMs` does not.'),
    timeMs: count('When Gatehouse received it, in milliseconds since 1970. Windows and expiries use this time.'),
    hour: count('Hour of `timeMs` in UTC, 0 to 23.'),
    weekday: count('Day of the week of `timeMs` in UTC, 0 (Sunday) to 6.'),
  }),
  agent: object('The AI agent.', {
    id: text('Agent identifier.'),
    name: text('Name of the agent.'),
    role: text('`agent.role`, if the sensor sends one.'),
  }),
  user: object('The person on whose behalf it acts.', {
    email: text('E-mail address.'),
    domain: text('What stands behind the @, lower case.'),
    roles: texts('`user.roles`, if the sensor sends them.'),
  }),
  tool: object('The tool that is called, or whose result it is.', {
    name: text('Name of the tool.'),
    kind: text(
      '`shell`, `file_read`, `file_write`, `net`, `code_exec`, `db`, `message`, `vcs`, `agent` or `other`; empty where the event is no tool call.',
      TOOL_KINDS,
    ),
    effect: text('`execute`, `read`, `write`, `delete`, `send` or `unknown`.', TOOL_EFFECTS),
    basis: text(
      'What the kind rests on: `policy` (`spec.tools`), `name`, `shape` (of the input) or `none`.',
      TOOL_BASES,
    ),
    inputs: objects('The values of the input: strings, numbers and booleans, at any depth.', {
      path: text('Where it stands in the input: `to`, `options.limit`, `items.0.name`.'),
      text: content('The value as text.'),
      number: contentDecimal('The value as a number; 0 where it is none.'),
    }),
  }),
  shell: object('Shell commands that would run, also inside `bash -c`, `xargs`, `sudo`, pipes and the like.', {
    commands: objects('Each command.', {
      name: text('Base name, lower case; empty where it is only known at run time.'),
      args: contents('Its words, without quotes.'),
      via: texts('What runs it, outermost first: `sudo`, `bash`, `xargs` …'),
      env: texts('Names of the variables assigned in front of it.'),
      writes: texts('Targets of its output redirections.'),
      source: text('Name of the command whose output it reads.'),
      consumer: text('Name of the command that takes its output as words.'),
      cwd: text(
        'Directory that a `cd` in front of it chose; else the one of the system or of a person that the call names.',
      ),
      dynamic: flag('The command word is only known at run time.'),
      dialect: text('`posix` or `powershell`.', SHELL_DIALECTS),
    }),
    names: texts('Names of all commands, each once.'),
    dynamic: count('Command words and scripts that are only known at run time.'),
    parseErrors: count('Syntax errors.'),
    forkBombs: count('Functions that multiply themselves without end.'),
  }),
  files: object('Files that are touched, as canonical paths: `/etc/passwd`, `~/.ssh/id_rsa`, `src/main.ts`.', {
    reads: texts('Paths whose content is read.'),
    loads: texts('Paths whose content is used but not shown (`source`, `ssh -i`).'),
    writes: texts('Paths that are written or appended to.'),
    deletes: texts('Paths that are deleted.'),
    lists: texts('Paths of which names or attributes are seen.'),
    accesses: objects('Each of them with more detail.', {
      operation: text('`read`, `load`, `write`, `append`, `delete` or `list`.', FILE_OPERATIONS),
      path: text('Canonical path.'),
      anchor: text('Where the path starts: `root`, `home`, `work_tree`, `drive` or `share`.', PATH_ANCHORS),
      climbs: count('Levels above its anchor that the path asked for.'),
      by: text('The command, tool or function that does it.'),
      glob: flag('The path is a pattern.'),
      recursive: flag('Everything below the path is meant.'),
      dynamic: flag('A part of the path is only known at run time.'),
      disguises: texts(
        'How the path hides what it names: `percent_encoding`, `layered_encoding`, `odd_encoding`, `nul`, `padding`, `mixed_separators`.',
        PATH_DISGUISES,
      ),
    }),
  }),
  net: object('Network access.', {
    hosts: objects('Hosts that are contacted.', {
      host: text('Lower case, without a dot at the end; IP addresses in their usual notation.'),
      class: text('`loopback`, `private`, `link_local`, `metadata`, `public` or `unspecified`.', HOST_CLASSES),
      scheme: text('`https`, `ssh` …; empty where none is given.'),
      port: count('Port; 0 where none is given.'),
      path: text('Decoded path of the URL, without its query.'),
      method: text('HTTP method in upper case, where it is given or implied.'),
      by: text('The command, tool or function that does it.'),
      disguised: flag('It is written in a way that hides which host it is.'),
      disguises: texts(
        'How: `unusual_notation`, `unicode`, `userinfo`, `embedded_address`, `nested_url`, `malformed_address`, `mapped_address`.',
        HOST_DISGUISES,
      ),
    }),
  }),
  sql: object('Database statements.', {
    statements: objects('Each statement.', {
      verb: text('First keyword, lower case: `select`, `delete`, `drop` …'),
      object: text('What `drop` and `truncate` work on: `table`, `database` …; else empty.'),
      unbounded: flag(
        'A `delete` or `update` without a condition, or with one that every row fulfils (`1=1`, `id > 0`).',
      ),
    }),
  }),
  code: object('Code that is handed to an interpreter in place.', {
    calls: objects('Calls of note in it.', {
      action: text(
        '`process`, `delete`, `read`, `write`, `append`, `copy`, `move`, `request`, `connect`, `query`, `decode`, `path`, `code` or `fork`.',
        CODE_ACTIONS,
      ),
      callee: text('Name of the function, as written.'),
      language: text('Language of the code; empty where it is not known.'),
      recursive: flag('It works on everything below.'),
      strings: contents('Its literal arguments.'),
    }),
  }),
  findings: objects('What detectors saw in this event.', {
    kind: text('`family.what`: `secret.aws_access_key`, `pii.iban`, `injection.override` …'),
    family: text('What stands in front of the dot.'),
    severity: text('`informational`, `low`, `medium`, `high` or `critical`.', SEVERITIES),
    confidence: decimal('How sure the detector is, 0 to 1.'),
    source: text(
      'Who wrote the text: `user`, `agent`, `tool_input`, `tool_output` or `tool_description`.',
      TEXT_SOURCES,
    ),
    named: flag(
      'The user named the file that it is about (with credentials, below `/etc` or `/var/log`), in a message of this session: `the token is in ~/.npmrc`.',
    ),
  }),
  flow: object(
    'Values of earlier events that a tool call would carry out of this machine. In other events, and calls that stay here, none.',
    {
      matches: objects('Each remembered value that would leave.', flowMatch),
      top: object(
        'The gravest: of those of which most is here, what a tool showed first before what a person wrote, a secret before others, then the greatest coverage. All empty where there is none.',
        flowMatch,
      ),
      private: flag('The session has seen private data.'),
      untrusted: flag('The session has seen content from outside.'),
      outbound: flag('This event sends something out, or what it asks for carries a remembered value out.'),
    },
  ),
  session: object('What happened before in this session.', {
    events: count('Events before this one.'),
    blocked: count('Blocked events before this one.'),
    held: flag(
      'The session is on hold. `tool_invocation` and `user_message` are then blocked before any policy is asked, so that only policies on other events see it.',
    ),
    labels: texts('Taint labels that hold now.', 'labels'),
    taints: objects('Each taint.', {
      label: text('Its label.', 'labels'),
      policy: text('The policy that set it.'),
      ageMs: count('Milliseconds since it was last set.'),
    }),
    tools: texts('Names of the tools called so far.'),
    toolKinds: texts('Kinds of the tools called so far.', TOOL_KINDS),
  }),
  text: object('All texts of the event: messages, tool input, tool output, descriptions.', {
    length: count('UTF-16 code units of all of them.'),
    readings: contents(
      'The texts as they stand and decoded, Unicode folded: 256 of them, each cut at 16,384 characters, 262,144 together.',
    ),
    encodings: texts(
      'Layers that were taken off: `url`, `html`, `base64`, `hex`, `gzip`, `escape`, `reversed`, `rot13`.',
      ENCODINGS,
    ),
    hidden: count('Characters that a reader does not see, or sees as others: all of the following.'),
    zeroWidth: count('Zero-width characters.'),
    bidi: count('Characters that change the direction of writing.'),
    tag: count('Tag characters, which spell ASCII invisibly.'),
    variationSelector: count('Variation selectors.'),
    homoglyph: count('Letters of another script inside a word of Latin ones.'),
    control: count('Control characters.'),
  }),
} as const satisfies Readonly<Record<string, Field>>;

/** The facts of one event. A plain object, or one with getters that compute a group when it is first asked for. */
export type PolicyInput = { readonly [Name in keyof typeof FACTS]: ValueOf<(typeof FACTS)[Name]> };
