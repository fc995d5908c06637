/** One pass of an analysis over the records of a source. */
import { fitting, type Analysis, type Item } from '../prof/analysis.js';
import { withCut, type EndedInputs } from '../prof/input/stream-status.js';
import { withReason } from '../prof/input/device-activity.js';
import type { Annotator } from '../prof/report/report.js';
import { UsageError, UserError } from '../record/errors.js';
import type { ProfileLine } from '../record/record.js';
import type { Source } from './sources.js';

export interface Pass<Facts> {
  readonly analysis: Analysis<Facts>;
  readonly annotator?: Annotator;
  /** Whether no further record can change the answer: reading stops. */
  readonly isComplete?: () => boolean;
}

/** Takes all records, and with an annotator their kernels; comes back after each batch. */
export async function* takeBatches<Facts>(
  { batches }: Pick<Source, 'batches'>,
  { analysis, annotator, isComplete }: Pass<Facts>,
): AsyncGenerator<undefined, void> {
  const take = (item: Item): void => analysis.take(item);
  for await (const batch of batches) {
    for (const record of batch) {
      if (annotator === undefined) analysis.take(record);
      else annotator.pass(record, take);
      if (isComplete?.() === true) break;
    }
    yield;
    if (isComplete?.() === true) break;
  }
  annotator?.passRest(take);
}

/**
 * Reads a source to its end and closes it, for answers that read several times or take records in their own way.
 * @param end called when all is read: what it throws is about the source
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

/** An error of a pass, with what the source says of it: its name, that it is cut off, why no device worked. */
export const withSource = (error: unknown, source: EndedInputs): unknown =>
  withCut(namingInput(explained(error, source), source.name), source);

/** An error about what no device did, with the reason that a profiler recorded; without a hint that does not fit the profile. */
export function explained<Failure>(error: Failure, { endings }: Pick<EndedInputs, 'endings'>): Failure {
  const fit = fitting(
    error,
    endings.flatMap(({ formats }) => [...formats]),
  );
  return withReason(fit, new Set(endings.flatMap(({ counted }) => [...counted]))) as Failure;
}

/** Adds the name of the input to an error about the whole of it. */
export function namingInput(error: unknown, name: string): unknown {
  const isUnnamed = error instanceof UserError && error.detail.where === undefined && !(error instanceof UsageError);
  return isUnnamed ? new UserError(error.what, { ...error.detail, where: name }) : error;
}
