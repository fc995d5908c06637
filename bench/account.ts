/**
 * What goes in comes out: for every profile, events counted without knowledge of its format against the records of
 * `dparse --ranges` and what its diagnostics count as not read. Exit 1 where any event is not accounted for.
 *
 *   npm run bench account [-- FILE...]     default: the samples, and the real profiles beside the checkout
 */
import { accountOf, isWhole, type Account, type Line } from './account/account.js';
import { accountedProfiles } from './account/accounted-profiles.js';
import { fromRoot } from './built-tools.js';

const textOf = ({ what, events, records, counted }: Line): string =>
  `    ${events === records + counted ? 'ok  ' : 'LOST'} ${events} events = ${records} records (${what}) + ${counted} counted`;

function show(path: string, account: Account): void {
  const state = isWhole(account) ? 'whole' : 'NOT WHOLE';
  process.stdout.write(`${path} (${account.format}): ${state}\n`);
  for (const line of account.lines) process.stdout.write(`${textOf(line)}\n`);
  if (account.others > 0) process.stdout.write(`    ok   ${account.others} events are no records of their own\n`);
  for (const category of account.unknown) process.stdout.write(`    LOST ${category} events\n`);
}

const paths = process.argv.slice(2);
let [whole, broken] = [0, 0];
for (const path of paths.length > 0 ? paths : accountedProfiles(fromRoot(''))) {
  const account = accountOf(path);
  if (account === null) {
    process.stdout.write(`${path}: refused, or nothing to count\n`);
    continue;
  }
  show(path, account);
  if (isWhole(account)) whole++;
  else broken++;
}
process.stdout.write(`${whole} profiles whole, ${broken} not\n`);
if (broken > 0) process.exitCode = 1;
