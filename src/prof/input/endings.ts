/** How inputs ended: what is said of those that are cut off, left out or without an end. */
import { UserError } from '../../record/errors.js';
import { lossesOf } from './losses.js';
import { WAS_READ, type StreamStatus } from './stream-status.js';

/** Inputs that were read. */
export interface EndedInputs {
  /** For messages. */
  readonly name: string;
  /** How they ended, those that were opened so far. */
  readonly endings: readonly StreamStatus[];
}

/** The first of the inputs' ends that is missing within a line, or in compressed data; null when there is none. */
export const cutOf = ({ endings }: Pick<EndedInputs, 'endings'>): StreamStatus['cut'] =>
  endings.find(({ cut }) => cut !== null)?.cut ?? null;

/** How inputs ended: what is left out of them, what readers lost of them, in one line, and what makes a run fail. */
export function endingsOf({ endings }: Pick<EndedInputs, 'endings'>): {
  readonly notes: UserError[];
  readonly losses: UserError[];
  readonly errors: UserError[];
} {
  const notes = endings.flatMap(({ name, notes: texts }) => texts.map((text) => new UserError(text, { where: name })));
  const { line } = lossesOf(endings);
  const errors = endings.flatMap(({ cut, failure, troubles }) => [
    ...troubles,
    ...(cut === null ? [] : [new UserError(`${cut.what}; ${WAS_READ}`, cut.detail)]),
    ...(failure === null ? [] : [failure]),
  ]);
  return { notes, losses: line === null ? [] : [new UserError(line)], errors };
}

/** An error about the whole of an input, which may be due to its being cut off: then that is said first. */
export function withCut(error: unknown, source: EndedInputs): unknown {
  const cut = cutOf(source);
  if (cut === null || !(error instanceof UserError) || error.what.startsWith(cut.what)) return error;
  const { where = source.name } = error.detail;
  const cutWhere = cut.detail.where ?? source.name;
  // The error of one of several inputs is not due to the cut of another.
  if (where !== source.name && !where.startsWith(cutWhere)) return error;
  return new UserError(`${cut.what}; ${error.what}`, { where: cutWhere });
}
