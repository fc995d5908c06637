/** One pass of an analysis over the records of a source, or of an input of a comparison. */
import { fitting, withoutKernels, type Analysis, type Item } from '../prof/analysis.js';
import type { Note } from '../prof/limits.js';
import { withCut, type EndedInputs } from '../prof/input/stream-status.js';
import { withReason } from '../prof/input/device-activity.js';
import type { RecordChoice } from '../prof/input/record-choice.js';
import { WorkInside } from '../prof/input/work-inside.js';
import type { Annotator } from '../prof/report/report.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import type { Source } from './sources.js';
import { lostBy, type Taken } from '../prof/diff/compared-input.js';
import type { Comparison } from '../prof/diff/comparison.js';
import type { Which } from '../prof/diff/input-facts.js';

export interface Pass<Facts> {
  readonly analysis: Analysis<Facts>;
  readonly annotator?: Annotator;
  /** Returns whether no further record can change the answer, so that reading stops. */
  readonly isComplete?: () => boolean;
}

/**
 * Passes all records to the analysis, and kernels through the annotator if there is one; yields after each batch.
 * @param choice leaves items out, and cuts work at the edges of a time, after it has served to annotate others
 */
export async function* takeBatches<Facts>(
  { batches }: Pick<Source, 'batches'>,
  { analysis, annotator, isComplete }: Pass<Facts>,
  choice?: RecordChoice,
): AsyncGenerator<undefined, void> {
  const inside =
    choice === undefined || analysis.inFull === true ? null : new WorkInside(choice, analysis.anyTime === 'ranges');
  const take = (item: Item): void => {
    if (choice?.keeps(item, analysis.anyTime) !== false) analysis.take(inside?.of(item) ?? item);
  };
  for await (const batch of batches) {
    for (const record of batch) {
      if (annotator === undefined) take(record);
      else annotator.pass(record, take);
      if (isComplete?.() === true) break;
    }
    yield;
    if (isComplete?.() === true) break;
  }
  annotator?.passRest(take);
}

/**
 * Reads a source to its end and closes it, for answers that read several times or handle records differently.
 * @param end called when everything is read; its errors are attributed to the source
 */
export async function takeRecords(
  source: Source,
  take: (record: ProfileLine) => void,
  end: () => void = () => undefined,
): Promise<void> {
  try {
    for await (const batch of source.batches) for (const record of batch) take(record);
    end();
  } catch (error) {
    throw withSource(error, source);
  } finally {
    source.close();
  }
}

/** Adds facts about the source to an error of a pass: its name, whether it is cut off, why there was no device work. */
export const withSource = (error: unknown, source: EndedInputs): unknown =>
  withCut(namingInput(explained(error, source), source.name), source);

/**
 * Adds the reason recorded by the profiler to an error about missing device work; removes a hint that does not fit the
 * profile.
 */
export function explained<Failure>(error: Failure, { endings }: Pick<EndedInputs, 'endings'>): Failure {
  const fit = fitting(
    error,
    endings.flatMap(({ formats }) => [...formats]),
  );
  return withReason(fit, new Set(endings.flatMap(({ counted }) => [...counted]))) as Failure;
}

/** Adds the name of the input to an error about the whole input. */
export function namingInput(error: unknown, name: string): unknown {
  const isUnnamed = error instanceof UserError && error.detail.where === undefined && !(error instanceof UsageError);
  return isUnnamed ? new UserError(error.what, { ...error.detail, where: name }) : error;
}

/** The line of a note for stderr; an error has the name of the input in front. */
export function noteLine(note: Note, name: string): string {
  return note instanceof UserError ? (namingInput(note, name) as UserError).line : note.line;
}

/**
 * @param name name of the input, when it cannot be opened
 * @param isGate whether the answer reports an input that cannot be compared
 * @param choice leaves profiles out; the comparison asks it for each annotated kernel
 * @throws UserError for an input that cannot be compared, unless a gate reports it
 */
export async function takeCompared(
  name: string,
  open: () => Promise<Source>,
  which: Which,
  comparison: Comparison,
  isGate: boolean,
  choice?: RecordChoice,
): Promise<Taken> {
  let lost = 0;
  let source = null as Source | null;
  try {
    source = await open();
    await takeRecords(
      source,
      (record) => {
        if (record.type !== 'kernel' && choice?.keeps(record) === false) return;
        if (record.type === 'end') lost += lostBy(record);
        comparison.take(which, record);
      },
      () => {
        comparison.end(which);
        const { count, untimed } = comparison.total[which];
        choice?.refuseNothing();
        if (count === 0) throw withoutKernels(untimed);
      },
    );
    const { count: kernels } = comparison.total[which];
    return { name: source.name, endings: source.endings, failure: null, lost, kernels };
  } catch (error) {
    if (!isGate || !(error instanceof UserError) || error instanceof UsageError) throw error;
    return { name, endings: source?.endings ?? [], failure: error, lost, kernels: 0 };
  }
}
