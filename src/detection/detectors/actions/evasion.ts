import type { FileAccess } from '../../facts/file-access.ts';
import { named } from '../../reason.ts';
import { type Action, actionDetector } from './action.ts';
import { readSigns } from './command-signs.ts';
import { GUARD_SIGNS } from './guard-signs.ts';
import { RECORD_SIGNS } from './record-signs.ts';

/** Whatever keeps an attack from being seen: records erased, guards stopped. */
export const evasion = actionDetector({
  id: 'evasion',
  version: 1,
  severity: 'high',
  title: 'Stops or blinds what watches over a machine or an account, or keeps what is done from being recorded.',
  kinds: ['evasion.*'],
  falsePositives: ['turning a firewall or a scanner off while looking for a fault'],
  find({ facts, allowance }, found) {
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
