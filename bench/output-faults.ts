/**
 * Each command and format of both programs, writing to what takes less than all of it: a full disk, one with room for a
 * part, a closed standard output, a limit of file size, a reader that goes or is slow, a full standard error.
 * A run is to write all and end with 0, or to end with 1 and say why in one line; a reader that has gone ends it quietly.
 *
 *   npm run build && npm run bench output-faults
 *   npm run bench output-faults -- --of 'dprof sql'       commands whose names begin so
 *
 * Small disks need the right to mount. Exits with 1 when a run ends in another way. All files are removed again,
 * however the benchmark ends.
 */
import { parseArgs } from 'node:util';
import { writingCommands } from './output-faults/commands.js';
import { isLeftOut, OutputFaults, PLACES } from './output-faults/places.js';

const { values } = parseArgs({ options: { of: { type: 'string', default: '' } } });
const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const faults = new OutputFaults();

const all = await writingCommands(faults.folder('inputs'));
const commands = all.filter(({ name }) => name.startsWith(values.of));
const wrong: string[] = [];
const sums = { runs: 0, whole: 0, reported: 0, quiet: 0 };
say('| output | runs | all written | reported, exit 1 | reader gone | wrong |');
say('|---|---|---|---|---|---|');
for (const place of PLACES) {
  const of = { runs: 0, whole: 0, reported: 0, quiet: 0, wrong: 0 };
  let isHere = true;
  for (const command of commands) {
    if (isLeftOut(command, place)) continue;
    const end = faults.end(command, place);
    if (end === null) {
      isHere = false;
      break;
    }
    of.runs++;
    if (typeof end === 'string') of[end]++;
    else {
      of.wrong++;
      wrong.push(`${place.name}: ${command.name}: ${end.wrong}`);
    }
  }
  const counts = isHere
    ? [of.runs, of.whole, of.reported, of.quiet, of.wrong]
    : ['left out: nothing may be mounted here'];
  say(`| \`${place.name.replaceAll('|', '\\|')}\` | ${counts.join(' | ')} |`);
  for (const key of ['runs', 'whole', 'reported', 'quiet'] as const) sums[key] += of[key];
}
for (const line of wrong) say(line);
const right = sums.runs - wrong.length;
say(`${commands.length} commands and formats, ${right} of ${sums.runs} runs right: ${sums.whole} all written, ${sums.reported} reported, ${sums.quiet} reader gone; ${wrong.length} wrong`); // prettier-ignore
faults.dispose();
process.exitCode = wrong.length === 0 ? 0 : 1;
