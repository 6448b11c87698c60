import type { Severity } from '../../../domain/decision.ts';
import type { EventFacts } from '../../facts/event-facts.ts';
import type { FileAccess } from '../../facts/file-access.ts';
import { INPUT_PLACE, normalizeKey, type Place } from '../../facts/input.ts';
import type { SqlStatement } from '../../facts/sql/statements.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readSigns } from './command-signs.ts';
import { GUARD_SIGNS } from './guard-signs.ts';
import { RECORD_SIGNS } from './record-signs.ts';

/** Whatever keeps an attack from being seen: records erased, guards stopped. */
export const evasion = actionDetector({
  id: 'evasion',
  version: 2,
  severity: 'high',
  title: 'Stops or blinds what watches over a machine or an account, or keeps what is done from being recorded.',
  kinds: ['evasion.*'],
  falsePositives: ['turning a firewall or a scanner off while looking for a fault'],
  find({ event, facts, limits, allowance }, found) {
    for (const command of facts.shell.commands) {
      readSigns(GUARD_SIGNS, command, found, allowance);
      readSigns(RECORD_SIGNS, command, found, allowance);
    }
    for (const { name, value, origin } of facts.shell.assignments) {
      if (silencesHistory(name, value)) {
        found.push({
          kind: 'evasion.history',
          confidence: 0.8,
          what: 'keeps the shell from recording what it does',
          origin,
        });
      }
    }
    for (const access of facts.files) {
      if (access.operation !== 'read' && access.operation !== 'list' && access.operation !== 'load')
        readWrite(access, found);
    }
    for (const [index, statement] of facts.sql.entries())
      if (MAY_SILENCE.has(statement.verb)) readStatement(statement, index, facts, found);
    if (event.event_type === 'tool_invocation' && limits.listsNames)
      readOptions(event.tool.input, INPUT_PLACE, found, 0);
  },
});

function silencesHistory(name: string, value: string): boolean {
  if (name === 'HISTFILE') return value === '/dev/null' || value === '';
  return (name === 'HISTSIZE' || name === 'HISTFILESIZE') && value === '0';
}

const GUARD_FILES =
  /^\/(?:usr\/local\/)?etc\/(?:audit\/.+|audisp\/.+|auditd\.conf|audit\.rules|security\/audit[^/]*|r?syslog(?:d|-ng)?(?:\.conf|\/.+|\.d\/.+)|systemd\/journald\.conf(?:\.d\/.+)?|ufw\/.+|default\/(?:ufw|auditd|rsyslog|apparmor)|selinux\/.+|apparmor(?:\.d)?\/.+|iptables\/.+|sysconfig\/(?:iptables|selinux)|nftables\.conf|firewalld\/.+|pf\.conf|pf\.anchors\/.+|fail2ban\/.+|falco\/.+|osquery\/.+|libaudit\.conf|newsyslog[^/]*|logrotate\.d\/(?:rsyslog|audit))$|^\/var\/ossec\/etc\/.+$|^\/private\/etc\/(?:pf\.conf|security\/.+|hosts\.deny)$/;

function readWrite(access: FileAccess, found: Action[]): void {
  if (access.path.anchor !== 'root' || !GUARD_FILES.test(access.path.key)) return;
  found.push({
    kind: 'evasion.defenses',
    confidence: 0.75,
    what: `changes what watches over the machine: ${named(access.path.text)} (${named(access.by)})`,
    origin: access.origin,
  });
}

const MAY_SILENCE: ReadonlySet<string> = new Set(['alter', 'drop', 'noaudit', 'set']);
/** Statements behind one that may make anew what it takes away. */
const NEXT_MAX = 8;
/** What a server of databases keeps of who did what. */
const AUDIT = /^(?:pg)?audit|_audit/;
const SET_TO_NOTHING =
  /\b(?:pgaudit\.log|log_statement|general_log|audit_trail|audit_log\w{0,32}|server_audit\w{0,32})\s{0,4}(?:=|\bto\b)\s{0,4}\\?['"]?(?:none|off|0|false)\b/i;
const TEXT_CHARS_MAX = 16_384;
const RECORDS = /^(?:pgaudit|log_statement|general_log|audit_trail|audit_log\w*|server_audit\w*)$/;

/** A statement by which a database keeps less of what is done in it. */
function readStatement(
  { verb, words, origin }: SqlStatement,
  index: number,
  { parameters, sql }: EventFacts,
  found: Action[],
): void {
  const report = (severity: Severity): void => {
    const what = 'has a database record less of what is done in it';
    found.push({ kind: 'evasion.audit', severity, confidence: 0.75, what, origin });
  };
  if (verb === 'noaudit') return report('high');
  if (verb === 'alter' || verb === 'set') {
    const setting = words.slice(1, 6).find((word) => RECORDS.test(word));
    // What a literal says is in no word.
    if (setting !== undefined && parameters.some(({ text }) => SET_TO_NOTHING.test(text.slice(0, TEXT_CHARS_MAX))))
      return report(AUDIT.test(setting) ? 'high' : 'medium');
    if (words[1] === 'server' && words[2] === 'audit' && words.includes('off')) return report('high');
  }
  const disables = verb === 'alter' && words.includes('disable') && words.includes('trigger');
  if (verb !== 'drop' && !disables) return;
  const of = words[disables ? words.indexOf('disable') + 1 : 1];
  if (of !== 'trigger' && !(of === 'server' && words[2] === 'audit')) return;
  const name = words.slice(2).find((word) => AUDIT.test(word));
  if (name === undefined) return;
  const next = sql.slice(index + 1, index + 1 + NEXT_MAX);
  report(next.some(({ verb: again, words: made }) => again === 'create' && made.includes(name)) ? 'medium' : 'high');
}

/** Options of one input that are looked at, and how deep. */
const OPTIONS_MAX = 128;
const DEPTH_MAX = 3;
const CHECKS =
  '(?:identity|verification|verify|idcheck|confidential\\w*|consent|approvals?|mfa|twofactor|2fa|otp|fraud\\w*|kyc|aml|compliance|foureyes|signature\\w*)';
const GOES_AROUND = new RegExp(`^(?:override|bypass)${CHECKS}(?:checks?)?$`);
const LEAVES_OUT = new RegExp(`^(?:skip|ignore|disable|no)${CHECKS}(?:checks?)?$`);
const SECOND_FACTOR = /^(?:twofactor|2fa|mfa)(?:auth|enabled|required)?$/;

/** Options by which a tool is told to leave out what it checks: `override_verification: true`. */
function readOptions(value: object, place: Place, found: Action[], depth: number): void {
  let optionsLeft = OPTIONS_MAX;
  for (const name of Object.keys(value)) {
    if (optionsLeft-- <= 0) return;
    const option = (value as Record<string, unknown>)[name];
    if (typeof option === 'object' && option !== null) {
      if (depth < DEPTH_MAX) readOptions(option, { name, parent: place }, found, depth + 1);
    } else {
      const isOn = option === true || option === 1 || option === 'true' || option === 'yes';
      const isOff = option === false || option === 0 || option === 'false' || option === 'off';
      if (isOn || isOff) readOption(name, isOn, place, found);
    }
  }
}

function readOption(name: string, isOn: boolean, parent: Place, found: Action[]): void {
  const key = normalizeKey(name);
  const report = (severity: Severity, confidence: number, what: string): void => {
    const origin = { place: { name, parent }, start: 0, end: 0 };
    found.push({ kind: 'evasion.check', severity, confidence, what: `${what} (${named(name)})`, origin });
  };
  if (isOn && GOES_AROUND.test(key)) report('high', 0.75, 'goes around a check');
  else if (isOn && LEAVES_OUT.test(key)) report('medium', 0.7, 'leaves out a check');
  else if (!isOn && SECOND_FACTOR.test(key)) report('medium', 0.6, 'turns off a second factor');
}
