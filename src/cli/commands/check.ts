/** `dprof check`: whether a profile is complete, and whether a gate fails because it is not. */
import { checkDocument, Checker, type CheckedProfile } from '../../prof/check/profile-check.js';
import { REASON_COLUMNS, VERDICTS, type CheckVerdict } from '../../prof/check/reason.js';
import { Annotator } from '../../prof/report/report.js';
import { jsonLines } from '../../record/control-characters.js';
import { requireName, UserError } from '../../record/errors.js';
import { counted } from '../../record/plural.js';
import { CHOICE_OPTIONS } from '../choice-options.js';
import { columnNotes, tableChoice, tableOptions, unfit } from '../shared-options.js';
import { PEAKS_OPTION, readPeaks } from '../peaks-option.js';
import { aligned } from '../../write/cell-text.js';
import { DEVICE_MEMORY, recordsCommand, withTableFormats } from '../records-command.js';
import { printAnswer, runAnalysis } from '../run-analysis.js';
import { checkScreen } from '../screens/check.js';

/** Verdicts that can fail a gate. */
const FAILING: readonly string[] = VERDICTS.filter((verdict) => verdict !== 'complete');

/** @throws UserError when a profile has the given verdict or a worse one */
function failGate(profiles: readonly CheckedProfile[], least: CheckVerdict): void {
  const worse = profiles.filter(({ verdict }) => VERDICTS.indexOf(verdict) >= VERDICTS.indexOf(least));
  if (worse.length > 0)
    throw new UserError(`--fail-if ${least}: ${counted(worse.length, 'profile')} of ${profiles.length} failed`);
}

export const check = recordsCommand(
  {
    name: 'dprof check',
    usage: 'dprof check [OPTION...] [FILE...]',
    about: [
      'Whether a profile is complete and its figures can be trusted: what is wrong, what it affects, what to do.',
    ],
    operands: ['FILE: dparse records (also .gz), or a profile. Default: stdin.'],
    options: [
      {
        name: 'fail-if',
        takes: 'VERDICT',
        values: FAILING,
        help: `exit 1 for a profile with this verdict or a worse one: ${FAILING.join(', ')}`,
      },
      PEAKS_OPTION,
      ...CHOICE_OPTIONS,
      ...tableOptions(REASON_COLUMNS.map(({ key }) => key)),
    ],
    unfit: unfit(['where'], 'a check covers all kernels; use dprof --where EXPR'),
    notes: [
      [
        'Verdicts:',
        ...aligned([
          ['  complete', 'nothing is known to be missing or wrong'],
          ['  doubtful', 'some data may be wrong'],
          ['  incomplete', 'some data is missing, so counts and sums are too low'],
        ]),
      ],
      columnNotes('Columns:', REASON_COLUMNS),
      [
        'Reasons: loss (data is missing), doubt (data may be wrong), limit (the profiler did not record enough for',
        'some answers). Limits do not change the verdict. Losses counted by the profiler cover the whole profile.',
        'json: one object per profile with its reasons. Other formats: one row per reason.',
        `Memory: at most 300 MB, and ${DEVICE_MEMORY}.`,
      ],
    ],
    examples: [
      'dprof check net.pt.trace.json.gz',
      'dprof check --fail-if doubtful net.sqlite && dprof summary net.sqlite',
      "dparse ranks/*.json.gz | dprof check -f json | jq -r '.answer[] | [.rank, .verdict] | @tsv'",
    ],
  },
  withTableFormats('text', 'json'),
  async (given, request) => {
    const chosen = tableChoice(given, REASON_COLUMNS, { ...request, documents: ['json'] });
    const least = given.read('fail-if', (text) => requireName('verdict', text, FAILING) as CheckVerdict);
    let checked: readonly CheckedProfile[] = [];
    await runAnalysis(request, {
      analysis: new Checker(),
      // Losses and doubts are among the reasons.
      isDocument: true,
      hasDoubts: true,
      annotator: new Annotator(readPeaks(given)),
      print: ({ table, facts }, write) => {
        checked = facts;
        return printAnswer(table, { ...request, chosen }, write, {
          text: () => checkScreen(facts, request.width),
          json: () => jsonLines(facts.map(checkDocument)),
        });
      },
    });
    if (least !== undefined) failGate(checked, least);
  },
);
