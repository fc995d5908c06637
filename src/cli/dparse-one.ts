/** One profile → lines of text. */
import type { Profile } from '../parse/find.js';
import { readProfile } from '../parse/profile.js';
import { DIAGNOSTICS, type DiagnosticName } from '../record/diagnostics.js';
import { UserError } from '../record/errors.js';
import { encodeLine } from '../record/jsonl.js';
import type { ProfileLine } from '../record/record.js';
import type { Write } from './output.js';
import type { Progress } from './progress.js';

export interface ParseOptions {
  readonly format?: string;
  readonly ranges: boolean;
  readonly program?: string;
  readonly force?: boolean;
}

/** What came of a profile: numbers for its summary, or why it could not be read. */
export type Outcome = Counted | UserError;

export interface Counted {
  /** Records written, by type. */
  readonly counts: Readonly<Record<string, number>>;
  readonly oddities: readonly string[];
}

/** Activities between two turns of the event loop, so that signals and a closed output are noticed. */
const TURN = 2000;

export async function parseOne(
  profile: Profile,
  options: ParseOptions,
  write: Write,
  meter: Progress,
): Promise<Outcome> {
  const { source, ordinal } = profile;
  let outcome: Outcome = { counts: {}, oddities: [] };
  let lines = 0;
  try {
    for (const record of readProfile(source.path, { profile: ordinal, name: source.name, ...options })) {
      const wait = write(encodeLine(record));
      if (wait !== undefined) await wait;
      if (++lines % TURN === 0) {
        meter.at(lines, null);
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (record.type === 'end') outcome = outcomeOf(record);
    }
  } catch (error) {
    // Once lines are out, the stream is broken off: that is a failure of the whole run.
    if (error instanceof UserError && lines === 0) return error;
    throw error;
  }
  return outcome;
}

/** What the end line says of a profile. */
export const outcomeOf = (record: ProfileLine | undefined): Counted =>
  record?.type === 'end'
    ? { counts: record.counts, oddities: oddities(record.diagnostics) }
    : { counts: {}, oddities: [] };

/** Diagnostics in words. */
const oddities = (diagnostics: Readonly<Record<string, number>>): string[] =>
  Object.entries(diagnostics)
    .filter(([name]) => Object.hasOwn(DIAGNOSTICS, name))
    .map(([name, n]) => `${DIAGNOSTICS[name as DiagnosticName][1]}: ${n}`);
