import type { Allowance } from '../../cuts.ts';
import type { ShellCommand } from '../../facts/shell/model.ts';
import type { Action } from './action.ts';
import { type CommandSign, indexSigns, readSigns } from './command-signs.ts';

/**
 * Tools that bring a database's schema up to date, and what of theirs throws its rows away. In development that is daily work, and each of them
 * asks back where it might be none: told not to ask, or told that it is in production, it is meant.
 */

const ASKS_NOBODY = String.raw`(?=.*(?:^|\s)(?:--force|-f|--yes|-y|--no-?input|--no-interaction|--run)(?:\s|$))`;

function reset(programs: string, words: string, unless?: RegExp): CommandSign {
  return {
    programs,
    words: new RegExp(words),
    ...(unless === undefined ? {} : { unless }),
    kind: 'destructive.database',
    severity: 'high',
    confidence: 0.8,
    what: 'drops or empties a whole database',
  };
}

const TEST =
  /(?:^|[\s=])(?:--env[= ](?:test|testing)|test|testing)(?:\s|$)|--settings[= ](?:\w{1,40}\.){0,4}test(?:s|ing)?(?:\s|$)/;

/** A database of the machine itself that is there to be worked with, by its name. */
const LOCAL_OF_DEVELOPER =
  /^(?!.*-url=.*-url=)(?!.*-(?:environment|configfiles))(?:.*\s)?-url=jdbc:[a-z]{2,16}:\/\/(?:localhost|127\.0\.0\.1)(?::\d{2,5})?\/[\w-]{1,64}_(?:dev|test)(?:\s|$)/;

const SIGNS = indexSigns([
  reset(
    'php',
    String.raw`^${ASKS_NOBODY}(?:\S{0,128}/)?artisan\s+(?:migrate:(?:fresh|reset|refresh)|db:wipe)(?:\s|$)`,
    TEST,
  ),
  reset('php', String.raw`^${ASKS_NOBODY}(?:\S{0,128}/)?console\s+doctrine:(?:database|schema):drop(?:\s|$)`, TEST),
  reset('prisma', String.raw`^${ASKS_NOBODY}migrate\s+reset(?:\s|$)|^db\s+push\s(?:.*\s)?--force-reset(?:\s|$)`),
  reset(
    'python python3',
    String.raw`^${ASKS_NOBODY}(?:\S{0,128}/)?manage\.py\s+(?:flush|reset_db|reset_schema)(?:\s|$)`,
    TEST,
  ),
  reset('django-admin', String.raw`^${ASKS_NOBODY}(?:flush|reset_db|reset_schema)(?:\s|$)`, TEST),
  reset('dotnet dotnet-ef', String.raw`^${ASKS_NOBODY}(?:ef\s+)?database\s+drop(?:\s|$)`),
  reset('flyway', String.raw`(?:^|\s)clean(?:\s|$)`, LOCAL_OF_DEVELOPER),
  reset('liquibase', String.raw`(?:^|\s)drop-?all(?:\s|$)`),
  reset('migrate', String.raw`^${ASKS_NOBODY}(?:.*\s)?drop(?:\s|$)`),
  reset('typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm', String.raw`^schema:drop(?:\s|$)`, TEST),
  reset('sequelize sequelize-cli', String.raw`^db:drop(?::all)?(?:\s|$)`, TEST),
  reset('mix', String.raw`^${ASKS_NOBODY}ecto\.drop(?:\s|$)`),
  reset('wp', String.raw`^${ASKS_NOBODY}(?:db\s+(?:reset|drop|clean)|site\s+empty)(?:\s|$)`),
  reset('drush', String.raw`^${ASKS_NOBODY}(?:sql:|sql-)(?:drop|create)(?:\s|$)`),
  reset('mikro-orm', String.raw`^${ASKS_NOBODY}(?:schema:(?:drop|fresh)|migration:fresh)(?:\s|$)`),
]);

/** Ruby's, which has a guard of its own for production, and says so in the environment. */
const RAILS_TASKS = /^db:(?:drop|reset|purge|schema:load|structure:load|migrate:reset|truncate_all)(?::all)?$/;

/** Adds what `command` throws away by such a tool. */
export function readDatabaseReset(command: ShellCommand, found: Action[], allowance: Allowance): void {
  if (command.env.some(({ name, value }) => name.endsWith('_ENV') && /^test(?:ing)?$/.test(value))) return;
  readSigns(SIGNS, command, found, allowance);
  if (!/^(?:rails|rake)$/.test(command.name) || !command.args.some(({ text }) => RAILS_TASKS.test(text))) return;
  const isForced = command.env.some(
    ({ name, value }) =>
      (name === 'DISABLE_DATABASE_ENVIRONMENT_CHECK' && value !== '') ||
      (/^R(?:AILS|ACK)_ENV$/.test(name) && value === 'production'),
  );
  if (!isForced) return;
  const { origin } = command;
  found.push({
    kind: 'destructive.database',
    what: 'drops or empties a whole database of production',
    confidence: 0.85,
    origin,
  });
}
